/** The PATH of a service: systemd starts programs with a short one, on which most agents are not found. */
import { delimiter, isAbsolute } from 'node:path'
import { isOnPath } from '../../base/find-program.ts'
import { programEnvironment } from '../../config/config.ts'
import type { Environment } from '../../config/config.ts'
import { knownAgents } from '../command/known-agents.ts'
import type { InstalledUnit } from './service-unit.ts'
import { systemctlFor, unitName } from './service-unit.ts'

/** The PATH of this shell, as far as it means the same under systemd. */
export function captureSearchPath(env: Environment): string {
  const folders = (programEnvironment(env)['PATH'] ?? '').split(delimiter)
  return [...new Set(folders.filter(keepsItsMeaning))].join(delimiter)
}

/** A relative folder would be another one under systemd. A control character would break the unit. */
function keepsItsMeaning(folder: string): boolean {
  return isAbsolute(folder) && !/\p{Cc}/u.test(folder)
}

/** If a unit does not set it: the PATH of systemd.exec(5). */
const systemdPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Empty if the unit finds every agent that this shell finds. */
export function missedAgents(unit: InstalledUnit, env: Environment): readonly { says: string; mend: string }[] {
  const { path, searchPath = systemdPath } = unit
  const here = captureSearchPath(env)
  const missed = knownAgents
    .map(({ program }) => program)
    .filter((program) => isOnPath(program, here) && !isOnPath(program, searchPath))
  if (missed.length === 0) return []
  // sudo replaces the PATH.
  const install = path.startsWith('/etc/')
    ? `sudo env "PATH=$PATH" signalbox service install --force --system --path ${path}`
    : 'signalbox service install --force'
  const systemctl = systemctlFor(path)
  return [
    {
      says: `with the PATH of ${path} the hub does not find ${missed.join(', ')}, which your PATH finds`,
      mend: `run '${install}', then "${systemctl} daemon-reload" and "${systemctl} restart ${unitName}"`,
    },
  ]
}

/** Finds out whether bubblewrap works here, by running it, and what to do if it does not. */
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onPath } from '../base/find-program.ts'
import { messageOf } from '../base/hub-error.ts'
import { runProgram } from '../base/start-program.ts'
import type { SandboxTools } from './bubblewrap.ts'
import { bubblewrap } from './bubblewrap.ts'
import { callFilter } from './call-filter.ts'
import type { Limits } from './limits.ts'
import { openLimits } from './limits.ts'
import { isRoot, systemMounts } from './system.ts'

export type Availability =
  | {
      readonly is: 'available'
      readonly tools: SandboxTools
      readonly limits: Limits
      readonly socat: string | undefined
    }
  /** `reason`: what is wrong, and what to do. */
  | { readonly is: 'missing'; readonly reason: string }

/** Only directories of the system: a program that an agent can replace must not build its sandbox. */
const searchPath = '/usr/bin:/bin'

/** For a machine under load. */
const withinMs = 30_000

/** `directory`: for a file that each sandbox reads when it is made. No sandbox may show it. */
export async function probe(directory: string): Promise<Availability> {
  if (process.platform !== 'linux') return missing('Sandboxes need Linux.')
  const bwrap = onPath('bwrap', searchPath)
  if (bwrap === undefined) return missing('bubblewrap is not installed. Install the package "bubblewrap".')
  const env = onPath('env', searchPath)
  if (env === undefined) return missing('The program "env" is not in /usr/bin. Install the package "coreutils".')
  const prlimit = onPath('prlimit', searchPath)
  const tools = { bwrap, env, prlimit, filter: writeFilter(directory) }
  const limits = openLimits({ hasPrlimit: prlimit !== undefined })
  const program = { file: '/bin/sh', args: ['-c', 'exit 0'], cwd: '/', env: { PATH: searchPath } }
  const mounts = systemMounts({ needsNames: false })
  const sandboxed = bubblewrap(program, {
    tools,
    limits,
    mounts,
    hasOwnNetwork: true,
    nested: false,
    isRoot: isRoot(),
  })
  try {
    await runProgram(sandboxed, 'person', { timeout: withinMs })
    return { is: 'available', tools, limits, socat: onPath('socat', searchPath) }
  } catch (error) {
    const { stderr } = error as { readonly stderr?: unknown }
    const said = typeof stderr === 'string' && stderr.trim() !== '' ? stderr.trim() : messageOf(error)
    return missing(whyNot(said, await lookAround()))
  }
}

/** By renaming, since a sandbox that starts meanwhile may read it. */
function writeFilter(directory: string): string {
  const file = join(directory, 'sandbox.bpf')
  writeFileSync(`${file}.new`, callFilter(), { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return file
}

function missing(reason: string): Availability {
  return { is: 'missing', reason }
}

/** The machine's settings for user namespaces. `undefined`: it has no such setting. */
export interface Surroundings {
  readonly appArmor: string | undefined
  readonly unprivileged: string | undefined
  readonly most: string | undefined
  readonly isContainer: boolean
}

async function lookAround(): Promise<Surroundings> {
  const read = (name: string) =>
    readFile(`/proc/sys/${name}`, 'utf8').then(
      (text) => text.trim(),
      () => undefined,
    )
  const [appArmor, unprivileged, most] = await Promise.all([
    read('kernel/apparmor_restrict_unprivileged_userns'),
    read('kernel/unprivileged_userns_clone'),
    read('user/max_user_namespaces'),
  ])
  return {
    appArmor,
    unprivileged,
    most,
    isContainer: ['/.dockerenv', '/run/.containerenv'].some((path) => existsSync(path)),
  }
}

const appArmorProfile =
  'printf "abi <abi/4.0>,\\ninclude <tunables/global>\\nprofile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }\\n" | sudo tee /etc/apparmor.d/bwrap && sudo systemctl reload apparmor'

/** One sentence about the cause, and one about what to do. */
export function whyNot(said: string, { appArmor, unprivileged, most, isContainer }: Surroundings): string {
  const line = said.split('\n').at(-1)!.slice(0, 300)
  if (/unknown option|unrecognized option/i.test(said)) {
    return `bubblewrap 0.8 and coreutils 8.31 or newer are needed (${line}). Update the packages "bubblewrap" and "coreutils".`
  }
  if (isContainer) {
    return `This container does not allow sandboxes (${line}). Start it with: --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined`
  }
  if (appArmor === '1') {
    return `AppArmor does not allow bubblewrap to make user namespaces (${line}). Give it a profile: ${appArmorProfile}`
  }
  if (unprivileged === '0') {
    return `The kernel does not allow user namespaces (${line}). Allow them: sudo sysctl -w kernel.unprivileged_userns_clone=1`
  }
  if (most === '0') {
    return `The kernel does not allow user namespaces (${line}). Allow them: sudo sysctl -w user.max_user_namespaces=15000`
  }
  return `bubblewrap does not work here (${line}). Run "bwrap --unshare-all --ro-bind / / true" to see why.`
}

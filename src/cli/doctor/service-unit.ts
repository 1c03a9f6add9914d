import type { Environment } from '../../config/config.ts'
import { missedAgents } from '../service/search-path.ts'
import { faultsOf, readUnit, unitPath } from '../service/service-unit.ts'
import { findingsAbout } from './finding.ts'
import type { Finding } from './finding.ts'

const { ok, note, broken } = findingsAbout('service unit')

export function checkServiceUnit({ env, bin }: { env: Environment; bin: string }): Finding[] {
  const units = (['user', 'system'] as const).flatMap((scope) => readUnit(unitPath(scope, env)) ?? [])
  if (units.length === 0) {
    return [
      note(
        'not installed; the hub runs only while "signalbox up" runs',
        '"signalbox service install" starts it automatically',
      ),
    ]
  }
  return units.flatMap((unit) => {
    const faults = faultsOf(unit, bin)
    return [
      ...(faults.length === 0
        ? [ok(`${unit.path} starts this installation and does not kill terminals when it stops`)]
        : faults.map(({ says, mend }) => broken(says, mend))),
      ...missedAgents(unit, env).map(({ says, mend }) => note(says, mend)),
    ]
  })
}

import { HubError } from '../../base/hub-error.ts'
import { loadConfig } from '../../config/config.ts'
import type { ConfigFlags, Environment, LoadedConfig } from '../../config/config.ts'
import { findingsAbout } from './finding.ts'
import type { Finding } from './finding.ts'

const { ok, note, broken } = findingsAbout('configuration')

/** Also returns the configuration, if it loads, for the checks that need it. */
export function checkConfiguration(given: { flags: ConfigFlags; env: Environment }): {
  findings: Finding[]
  loaded?: LoadedConfig
} {
  try {
    const loaded = loadConfig(given)
    const changed = loaded.sources.filter(({ from }) => from !== 'default').length
    return {
      loaded,
      findings: [
        ok(
          `loads; ${changed} of ${loaded.sources.length} settings are not the default ("signalbox config" lists them)`,
        ),
        ...loaded.warnings.map((warning) => note(warning)),
      ],
    }
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    const findings = error.message
      .split('\n')
      .map((problem) => broken(problem, 'correct it there; the hub does not start before that'))
    return { findings }
  }
}

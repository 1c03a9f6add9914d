/**
 * `signalbox doctor`: checks everything that the hub depends on, and says how to fix problems. It changes nothing and does
 * not disturb a running hub.
 */
import { withoutKnownSecrets } from '../../base/known-secrets.ts'
import type { Redactor } from '../../base/redact.ts'
import type { Config, Environment } from '../../config/config.ts'
import type { Arguments } from '../command/command.ts'
import { defineCommand } from '../command/command.ts'
import { homeFlag, jsonFlag } from '../command/common-flags.ts'
import { signalboxProgram } from '../../base/package-files.ts'
import { createRedactorFor } from '../command/redactor.ts'
import { reasonOf } from '../command/system-error.ts'
import { checkAgentClis, versionTimeoutMs } from './agent-clis.ts'
import { checkConfiguration } from './configuration.ts'
import { checkContainment } from './containment.ts'
import { checkDataDirectory, minFreeBytes } from './data-directory.ts'
import type { Finding } from './finding.ts'
import { findingsAbout } from './finding.ts'
import { checkLocale } from './locale.ts'
import { checkPorts } from './ports.ts'
import { checkRuntime } from './runtime.ts'
import { checkServiceUnit } from './service-unit.ts'

export const command = defineCommand({
  about: [
    'Checks the runtime, the configuration, the data directory, the ports, the store, the running programs, the service',
    'unit and the agent CLIs, and says how to fix each problem. It changes nothing and does not disturb a running hub.',
  ].join('\n'),
  flags: { ...homeFlag, ...jsonFlag },
  examples: ['signalbox doctor', 'signalbox doctor --json'],
  async run(args, context) {
    const env = await context.readEnvironment()
    const redactor = createRedactorFor(env)
    const findings = (await checkAll(args, env)).map((finding) => withoutSecrets(finding, redactor))
    context.out(args.has('json') ? JSON.stringify({ findings }, null, 2) : render(findings))
    return findings.some(({ is }) => is === 'broken') ? 'problems-found' : 'ok'
  },
})

async function checkAll(args: Arguments<'home'>, env: Environment): Promise<Finding[]> {
  const { findings, loaded } = checkConfiguration({ flags: { home: args.text('home') }, env })
  return [
    ...checkRuntime({ nodeVersion: process.version, platform: process.platform }),
    ...findings,
    ...(loaded ? await checkConfigured(loaded.config, env) : [notChecked]),
    ...(await attempt('service unit', () => checkServiceUnit({ env, bin: signalboxProgram }))),
    checkLocale(env),
    ...(await checkAgentClis({ env, timeoutMs: versionTimeoutMs, config: loaded?.config })),
    ...(await attempt('containment', () => checkContainment(loaded?.config.sandbox))),
  ]
}

async function checkConfigured(config: Config, env: Environment): Promise<Finding[]> {
  return [
    ...(await attempt('data directory', () => checkDataDirectory({ home: config.home, minFreeBytes }))),
    ...(await attempt('ports', () => checkPorts({ config, env }))),
    // Loaded here, because `doctor --help` needs neither database drivers nor terminals.
    ...(await attempt('store', async () => (await import('./store.ts')).checkStore(config))),
    ...(await attempt('sessions', async () => (await import('./holders.ts')).checkHolders(config))),
  ]
}

/** A check that fails must not stop the others. */
async function attempt(about: string, check: () => Finding[] | Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check()
  } catch (error) {
    return [findingsAbout(about).broken(`the check failed: ${reasonOf(error)}`, 'correct that and run doctor again')]
  }
}

const notChecked = findingsAbout('data directory, ports, store').note(
  'not checked, because the configuration does not load',
)

function withoutSecrets(finding: Finding, redactor: Redactor): Finding {
  const says = withoutKnownSecrets(redactor, finding.says)
  if (finding.is !== 'broken') return { ...finding, says }
  return { ...finding, says, mend: withoutKnownSecrets(redactor, finding.mend) }
}

function render(findings: readonly Finding[]): string {
  const broken = findings.filter(({ is }) => is === 'broken').length
  return [
    ...findings.map(line),
    '',
    broken === 0
      ? 'No problems found.'
      : `${broken} ${broken === 1 ? 'problem' : 'problems'} found: see the lines with ✗.`,
  ].join('\n')
}

function line(finding: Finding): string {
  switch (finding.is) {
    case 'ok':
      return `✓ ${finding.about}: ${finding.says}`
    case 'note':
      return `· ${finding.about}: ${finding.says}${finding.advice ? `\n    ${finding.advice}` : ''}`
    case 'broken':
      return `✗ ${finding.about}: ${finding.says}\n    fix: ${finding.mend}`
  }
}

/**
 * `signalbox doctor`: looks at everything the hub stands on, and says how to mend what is wrong.
 * It changes nothing, and a running hub does not notice it.
 */
import { messageOf } from '../../base/hub-error.ts'
import type { Redactor } from '../../base/redact.ts'
import type { Config, Environment } from '../../config/config.ts'
import type { Arguments } from '../command.ts'
import { defineCommand } from '../command.ts'
import { homeFlag, jsonFlag } from '../common-flags.ts'
import { binPath } from '../installation.ts'
import { createRedactorFor } from '../redactor.ts'
import { checkAgentClis, versionTimeoutMs } from './agent-clis.ts'
import { checkConfiguration } from './configuration.ts'
import { checkContainment } from './containment.ts'
import { checkDataDirectory, leastFreeBytes } from './data-directory.ts'
import type { Finding } from './finding.ts'
import { findingsAbout } from './finding.ts'
import { checkPorts } from './ports.ts'
import { checkRuntime } from './runtime.ts'
import { checkServiceUnit } from './service-unit.ts'

export const command = defineCommand({
  about: [
    'Checks the runtime, the configuration, the data directory, the ports, the store, the programs that run, the service',
    'unit and which agent CLIs are there, and says how to mend each thing that is wrong. It changes nothing and does not',
    'disturb a running hub.',
  ].join('\n'),
  flags: { ...homeFlag, ...jsonFlag },
  examples: ['signalbox doctor', 'signalbox doctor --json'],
  async run(args, context) {
    const env = await context.readEnvironment()
    const redactor = createRedactorFor(env)
    const findings = (await examine(args, env)).map((finding) => withoutSecrets(finding, redactor))
    context.out(args.has('json') ? JSON.stringify({ findings }, null, 2) : render(findings))
    return findings.some(({ is }) => is === 'broken') ? 'must-mend' : 'ok'
  },
})

async function examine(args: Arguments<'home'>, env: Environment): Promise<Finding[]> {
  const { findings, loaded } = checkConfiguration({ flags: { home: args.text('home') }, env })
  return [
    ...checkRuntime({ nodeVersion: process.version, platform: process.platform }),
    ...findings,
    ...(loaded ? await examineConfigured(loaded.config, env) : [notExamined]),
    ...(await attempt('service unit', () => checkServiceUnit({ env, bin: binPath }))),
    ...(await checkAgentClis({ env, timeoutMs: versionTimeoutMs })),
    ...checkContainment(),
  ]
}

async function examineConfigured(config: Config, env: Environment): Promise<Finding[]> {
  return [
    ...(await attempt('data directory', () => checkDataDirectory({ home: config.home, leastFreeBytes }))),
    ...(await attempt('ports', () => checkPorts({ config, env }))),
    // Loaded here: not everybody who asks for help wants the database drivers and the terminals.
    ...(await attempt('store', async () => (await import('./store.ts')).checkStore(config))),
    ...(await attempt('sessions', async () => (await import('./holders.ts')).checkHolders(config))),
  ]
}

/** A check that trips over what it looks at must not take the others with it. */
async function attempt(about: string, check: () => Finding[] | Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check()
  } catch (error) {
    return [findingsAbout(about).broken(`could not be examined: ${messageOf(error)}`, 'mend that and ask again')]
  }
}

const notExamined = findingsAbout('data directory, ports, store').note('not examined while the configuration is wrong')

function withoutSecrets(finding: Finding, redactor: Redactor): Finding {
  const says = redactor.text(finding.says)
  return finding.is === 'broken' ? { ...finding, says, mend: redactor.text(finding.mend) } : { ...finding, says }
}

function render(findings: readonly Finding[]): string {
  const broken = findings.filter(({ is }) => is === 'broken').length
  return [
    ...findings.map(line),
    '',
    broken === 0 ? 'Nothing to mend.' : `${broken} ${broken === 1 ? 'thing' : 'things'} to mend, see the lines with ✗.`,
  ].join('\n')
}

function line(finding: Finding): string {
  switch (finding.is) {
    case 'ok':
      return `✓ ${finding.about}: ${finding.says}`
    case 'note':
      return `· ${finding.about}: ${finding.says}${finding.advice ? `\n    ${finding.advice}` : ''}`
    case 'broken':
      return `✗ ${finding.about}: ${finding.says}\n    mend: ${finding.mend}`
  }
}

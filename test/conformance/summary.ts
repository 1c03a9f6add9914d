/** Summarizes a run of a suite for people. */
import type { Edition, ScenarioReport, SuiteReport } from './official-suite.ts'

export function isFailed({ failed }: ScenarioReport): boolean {
  return failed > 0
}

export function explain({ name, failures }: ScenarioReport): string {
  return `${name}: ${failures.join('; ') || 'did not end'}`
}

export function summary({ label }: Edition, { scenarios }: SuiteReport): string {
  const scored = scenarios.filter((scenario) => scenario.isScored)
  const failedUnscored = scenarios.filter((scenario) => !scenario.isScored && isFailed(scenario))
  const warned = scenarios.filter(({ warnings }) => warnings.length > 0)
  return [
    `conformance ${label}:`,
    `  scored: ${scored.filter((each) => !isFailed(each)).length} of ${scored.length} scenarios pass`,
    `  checks: ${sum(scenarios, 'passed')} passed, ${sum(scenarios, 'failed')} failed`,
    `  unscored: ${scenarios.length - scored.length} scenarios, failed: ${names(failedUnscored)}`,
    `  warnings: ${warned.map(({ name, warnings }) => `${name} (${warnings.join('; ')})`).join(', ') || 'none'}`,
  ].join('\n')
}

function sum(scenarios: readonly ScenarioReport[], count: 'passed' | 'failed'): number {
  return scenarios.reduce((total, scenario) => total + scenario[count], 0)
}

function names(scenarios: readonly ScenarioReport[]): string {
  return scenarios.map(({ name }) => name).join(', ') || 'none'
}

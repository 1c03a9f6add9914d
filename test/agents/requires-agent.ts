/** For tests that run a real agent. If it is missing, they are reported as not run; with `CI=true` they fail. */
import { describe, test } from 'vitest'
import type { Agent } from './agents.ts'
import { installedVersion } from './agents.ts'

export function describeWith(agent: Agent, body: () => void): void {
  const installed = installedVersion(agent)
  if (installed === agent.version) return void describe(agent.name, body)
  const there = installed === undefined ? 'is not installed' : `is installed as ${installed}`
  const why = `${agent.package} ${agent.version} is needed, but it ${there}. "npm run test:agents" tries to install it`
  if (process.env['CI'] === 'true') {
    test(`needs ${agent.name}`, () => {
      throw new Error(`${why}.`)
    })
  } else {
    console.warn(`Not run: ${why}.`)
    test.skip(`not run: ${why}`, () => {})
  }
}

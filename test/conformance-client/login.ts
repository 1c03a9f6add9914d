/** Connects the agent to the suite's server, with a login if the server demands one. */
import { vi } from 'vitest'
import { callTool } from '../harness/modern-call.ts'
import { patience } from '../worlds/own-hub.ts'
import type { ScenarioRun } from './scenario-run.ts'

/** A person would not log in more often. */
const maxLogins = 3

/** Does the work. If the hub answers that a person has to log in first, logs in and repeats the work. */
export async function withLogins<Result>(run: ScenarioRun, work: () => Promise<Result>): Promise<Result> {
  for (let logins = 0; ; logins++) {
    try {
      return await work()
    } catch (error) {
      if (logins === maxLogins || !String(error).includes('A person has to log in')) throw error
      await logIn(run)
    }
  }
}

/** Resolves when the agent has the tools. Rejects with the error of a failed mount. */
export async function mounted({ agent }: ScenarioRun): Promise<void> {
  const mount = await vi.waitUntil(async () => {
    const now = await agent.mount()
    return now.state === 'initializing' ? undefined : now
  }, patience)
  if (mount.state === 'failed') throw new Error(mount.error)
}

/** Does what a person's browser does: opens the login address, which redirects back to the hub. */
async function logIn({ hub, connector }: ScenarioRun): Promise<void> {
  const { error } = await callTool(hub, 'test_connector', { name: connector })
  const address = /open (\S+)/.exec(String(error))?.[1]
  if (address === undefined) throw new Error(`The hub named no login address, but answered: ${String(error)}`)
  const page = await fetch(address)
  if (!page.ok) throw new Error(`The login ended with ${page.status}: ${await page.text()}`)
}

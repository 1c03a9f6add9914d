/** The way in: until the suite's server answers, by way of its login page where it wants one. */
import { vi } from 'vitest'
import { callTool } from '../harness/modern-call.ts'
import { patience } from '../http/own-hub.ts'
import type { Visit } from './visit.ts'

/** As often as a person would, who is asked again and again. */
const maxLogins = 3

/** Does the work; where the hub says that a person has to log in first, logs in and does it again. */
export async function withLogins<Result>(visit: Visit, work: () => Promise<Result>): Promise<Result> {
  for (let logins = 0; ; logins++) {
    try {
      return await work()
    } catch (error) {
      if (logins === maxLogins || !String(error).includes('A person has to log in')) throw error
      await logIn(visit)
    }
  }
}

/** Resolves when the agent has the tools; rejects with why it will not. */
export async function mounted({ agent }: Visit): Promise<void> {
  const mount = await vi.waitUntil(async () => {
    const now = await agent.mount()
    return now.state === 'initializing' ? undefined : now
  }, patience)
  if (mount.state === 'failed') throw new Error(mount.error)
}

/** What the person's browser does: from the address that the hub names through the login page back to the hub. */
async function logIn({ hub, connector }: Visit): Promise<void> {
  const { error } = await callTool(hub, 'test_connector', { name: connector })
  const address = /open (\S+)/.exec(String(error))?.[1]
  if (address === undefined) throw new Error(`The hub names no address to log in at, but says: ${String(error)}`)
  const page = await fetch(address)
  if (!page.ok) throw new Error(`The login ended with ${page.status}: ${await page.text()}`)
}

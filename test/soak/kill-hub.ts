/**
 * Kills a hub repeatedly while clients work with it. After each restart it checks that confirmed data is there, that
 * revoked tokens stay revoked, and that the databases are undamaged.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { type HubProcess, startHubProcess } from '../worlds/hub-process.ts'
import { openConnection, requestOn } from '../harness/legacy-call.ts'
import { callTool, type Endpoint } from '../harness/modern-call.ts'
import { createTempHome } from '../harness/temp-home.ts'
import { findDamage } from './find-damage.ts'
import { findBrokenPromises } from './find-broken-promises.ts'
import { createLedger, type Ledger } from './ledger.ts'

export interface KillReport {
  readonly kills: number
  readonly tokensIssued: number
  readonly tokensRevoked: number
  readonly eventsSeen: number
  readonly connectionsOpened: number
  /** Empty if all is well. */
  readonly faults: readonly string[]
}

const clientCount = 4
/** This many calls end before the kill, which then interrupts others. */
const callsBeforeKill = 10
const longestWaitMs = 200

export async function killHubRepeatedly(kills: number): Promise<KillReport> {
  await using home = await createTempHome()
  const ledger = createLedger()
  const faults: string[] = []

  for (let kill = 1; kill <= kills; kill++) {
    await using hub = await startHubProcess({ home: home.path })
    const note = (found: readonly string[]) => faults.push(...found.map((fault) => `before kill ${kill}: ${fault}`))
    note(await findBrokenPromises(hub, ledger))
    await workUntilKilled(hub, ledger)
    note(await findDamage(home.path))
  }
  await using last = await startHubProcess({ home: home.path })
  faults.push(...(await findBrokenPromises(last, ledger)))
  return {
    kills,
    tokensIssued: ledger.tokens.size,
    tokensRevoked: [...ledger.tokens.values()].filter(({ is }) => is === 'revoked').length,
    eventsSeen: ledger.events.size,
    connectionsOpened: ledger.connections.length,
    faults,
  }
}

async function workUntilKilled(hub: HubProcess, ledger: Ledger): Promise<void> {
  const stop = new AbortController()
  const enough = Promise.withResolvers<void>()
  let calls = 0
  const onCall = () => {
    if (++calls === callsBeforeKill) enough.resolve()
  }
  await openSubscribed(hub, ledger)
  const working = Promise.all(Array.from({ length: clientCount }, () => work(hub, ledger, onCall, stop.signal)))
  await Promise.race([enough.promise.then(() => delay(Math.random() * longestWaitMs)), working])
  stop.abort()
  await hub.end('SIGKILL')
  await working
}

/** Works until the hub is killed. A failure before that is a fault of the hub. */
async function work(endpoint: Endpoint, ledger: Ledger, onCall: () => void, killed: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await workOnce(endpoint, ledger)
      onCall()
    } catch (error) {
      if (killed.aborted) return
      throw error
    }
  }
}

async function workOnce(endpoint: Endpoint, ledger: Ledger): Promise<void> {
  const chance = Math.random()
  const id = ledger.anyLiving()
  if (id !== undefined && chance < 0.3) {
    ledger.revoking(id)
    await callTool(endpoint, 'revoke_token', { id })
    ledger.revoked(id)
  } else if (chance < 0.33) {
    await openSubscribed(endpoint, ledger)
  } else if (chance < 0.45) {
    const page = eventPage.parse(await callTool(endpoint, 'query_events', { limit: 20, cursor: newest(ledger) }))
    for (const event of page.events) ledger.sawEvent(event)
  } else {
    const label = ledger.nextLabel()
    const issued = issuedToken.parse(await callTool(endpoint, 'issue_token', { role: 'human', label }))
    ledger.issued({ ...issued, label })
  }
}

async function openSubscribed(endpoint: Endpoint, ledger: Ledger): Promise<void> {
  const connection = await openConnection(endpoint)
  const { status } = await requestOn(endpoint, connection, 'resources/subscribe', { uri: 'resource://hub/status' })
  if (status === 200) ledger.connected(connection)
}

function newest({ events }: Ledger): string | undefined {
  return events.size === 0 ? undefined : String(Math.max(...events.keys()))
}

const issuedToken = z.object({ id: z.string(), token: z.string() })
const eventPage = z.object({ events: z.array(z.object({ seq: z.number(), id: z.string() })) })

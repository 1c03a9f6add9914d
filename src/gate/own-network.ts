/**
 * Decides about the hosts that a confined session wants to reach. The proxy of its sandbox asks here, as a hook with the
 * token of the session. Where no rule decides, the list of the sandbox does.
 */
import { z } from 'zod'
import { HubError } from '../base/hub-error.ts'
import type { OwnToolAnswer, OwnToolCall, OwnToolGate } from '../drivers/drivers.ts'
import type { EventLog } from '../events/events.ts'

export interface OwnNetworkOptions {
  readonly ownTools: { of(session: string): OwnToolGate }
  readonly events: Pick<EventLog, 'append'>
  /** The proof that the proxy of a session sends. The session's agent does not know it. */
  readonly proofOf: (session: string) => string
}

export interface OwnNetwork {
  /** The name of the hook. */
  readonly hook: 'network'
  /** The answer is for the proxy. */
  decide(session: string, body: unknown, signal: AbortSignal): Promise<{ allowed: boolean; reason?: string }>
  forget(session: string): void
}

const attempt = z.object({ host: z.string().min(1).max(260), port: z.int().min(1).max(65_535) })

const question = attempt.extend({
  proof: z.string(),
  /** Whether the sandbox lists the host. */
  listed: z.boolean(),
  /** The decisions that the proxy made by its list while there was no hub. */
  earlier: z
    .array(attempt.extend({ allowed: z.boolean(), at: z.iso.datetime() }))
    .max(200)
    .default([]),
})

/** An agent that a person lets go to any host must not fill the memory of the hub. */
const mostApproved = 1_000

export function createOwnNetwork({ ownTools, events, proofOf }: OwnNetworkOptions): OwnNetwork {
  /** A person is asked once for each host of a session. A rule that forbids the host still counts. */
  const approved = new Map<string, Set<string>>()

  async function answerOf(session: string, call: OwnToolCall, key: string): Promise<OwnToolAnswer | 'approved-before'> {
    const gate = ownTools.of(session)
    const checked = await gate.check(call)
    if (checked.is !== 'ask') return checked
    if (approved.get(session)?.has(key)) return 'approved-before'
    const answer = await gate.authorize(call)
    if (answer.is === 'allowed') remember(session, key)
    return answer
  }

  function remember(session: string, key: string): void {
    const keys = approved.get(session) ?? new Set()
    if (keys.size < mostApproved) approved.set(session, keys.add(key))
  }

  return {
    hook: 'network',
    async decide(session, body, signal) {
      const read = question.safeParse(body)
      if (!read.success || read.data.proof !== proofOf(session)) {
        throw new HubError('forbidden', 'This hook is for the proxy of a sandbox.')
      }
      const { host, port, listed, earlier } = read.data
      for (const { host: name, port: number, allowed, at } of earlier) {
        const payload = { host: name, port: number, allowed, reason: `decided without a hub, at ${at}` }
        await events.append({ type: 'network-decided', session, payload })
      }
      const args = { host, port, agent_tool: 'network' }
      const call: OwnToolCall = { tool: 'own_network', arguments: args, agentAsks: false, signal }
      const answer = await answerOf(session, call, `${host}:${port}`)
      const { allowed, reason } = decided(answer, { host, port, listed })
      if (answer !== 'approved-before' && answer.is === 'allowed') answer.end(allowed ? 'ok' : 'error')
      await events.append({
        type: 'network-decided',
        session,
        payload: { host, port, allowed, ...(reason !== undefined && { reason }) },
      })
      return { allowed, ...(reason !== undefined && { reason }) }
    },
    forget: (session) => void approved.delete(session),
  }
}

function decided(
  answer: OwnToolAnswer | 'approved-before',
  { host, port, listed }: { readonly host: string; readonly port: number; readonly listed: boolean },
): { readonly allowed: boolean; readonly reason?: string } {
  if (answer === 'approved-before') return { allowed: true }
  if (answer.is === 'refused') return { allowed: false, reason: answer.reason }
  if (answer.isRuled || answer.approval !== undefined || listed) return { allowed: true }
  return {
    allowed: false,
    reason: `${host}:${port} is not on the list of this sandbox, and no rule allows own_network there. A person can add it to "sandbox" or to the policy.`,
  }
}

/** The gate for the tools that are built into agents. Drivers ask it before such a tool runs. */
import { randomUUID } from 'node:crypto'
import type { ApprovalDecision } from '../api/approval.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import { jsonSize } from '../base/json-size.ts'
import type { Log } from '../base/log.ts'
import type { Principal } from '../base/principal.ts'
import type { AllowedOwnTool, OwnToolAnswer, OwnToolCall, OwnToolGate, RefusedOwnTool } from '../drivers/drivers.ts'
import type { PolicyCall, Verdict } from '../policy/policy.ts'
import type { Authorized, Gate } from './authorization.ts'
import { createDecidingCalls } from './deciding-calls.ts'
import { refusalText } from './refusal-text.ts'

export interface OwnToolGatesOptions {
  readonly gate: Gate
  readonly policies: { decide(session: string, call: PolicyCall): Promise<Verdict> }
  readonly approvals: {
    decide(
      id: string,
      answer: { readonly decision: ApprovalDecision; readonly scope: 'once' },
      by: Principal,
    ): Promise<unknown>
  }
  /** The names of the tools that the hub offers to the agent of a session. */
  readonly offered: { namesOf(session: string): Promise<readonly string[]> }
  readonly log: Log
}

export interface OwnToolGates {
  of(session: string): OwnToolGate
}

/** An agent waits for its own tools as long as it must. The approval expires earlier. */
const holdMs = 86_400_000

const personAtTerminal: Principal = { role: 'human', tokenId: 'terminal', label: 'the person at the terminal' }

export function createOwnToolGates({ gate, policies, approvals, offered, log }: OwnToolGatesOptions): OwnToolGates {
  const deciding = createDecidingCalls()

  async function authorize(session: string, call: OwnToolCall): Promise<OwnToolAnswer> {
    const { tool, arguments: args, agentAsks, signal } = call
    let approval: string | undefined
    using place = await deciding.enter(session, jsonSize(args))
    try {
      const authorization = await gate.authorize({
        session,
        tool,
        arguments: args,
        agentAsks,
        correlation: randomUUID(),
        ...gate.placeOf(session),
        signal,
        holdMs,
        progress: () => {},
        async onHeld(id) {
          place[Symbol.dispose]()
          approval = id
          call.onHeld?.(id)
        },
      })
      switch (authorization.status) {
        case 'allowed':
          return allowed(authorization, approval)
        case 'pending':
          return {
            ...refused(`Approval ${authorization.approval} of ${tool} was not answered. It has not run.`),
            isUndecided: true,
          }
        case 'cancelled':
          return refused('The call was cancelled before it ran.')
        case 'denied':
        case 'aborted':
        case 'expired':
        case 'abandoned':
        case 'failed':
          return refused(refusalText(authorization, tool), authorization.status === 'aborted')
      }
    } catch (error) {
      // The log of the hub must not grow with each call of a program that asks too often. Its events have the refusals.
      if (!signal.aborted && !isBusy(error))
        log.error({ session, tool, error }, 'could not decide a call of an own tool, so it was refused')
      return refused(`The hub could not decide ${tool}: ${messageOf(error)}. It has not run.`)
    }
  }

  /** Finds out whether the agent should show its own question. The gate decides again and records the call. */
  async function asksByRule(session: string, call: OwnToolCall): Promise<Verdict | undefined> {
    try {
      const verdict = await policies.decide(session, call)
      return verdict.effect === 'ask' ? verdict : undefined
    } catch {
      // The gate will fail in the same way, and refuse.
      return undefined
    }
  }

  return {
    of: (session) => ({
      async check(call) {
        const verdict = await asksByRule(session, call)
        if (!verdict) return authorize(session, call)
        const { reason = `The policy asks a person about ${call.tool}.` } = verdict
        return { is: 'ask', reason }
      },
      authorize: (call) => authorize(session, call),
      toolsOfHub: () => offered.namesOf(session),
      async answeredInTerminal(approval, decision) {
        await approvals.decide(approval, { decision, scope: 'once' }, personAtTerminal)
      },
    }),
  }
}

/** On its own, like `endWith` of the gate. */
function allowed({ isRuled, end }: Authorized, approval: string | undefined): AllowedOwnTool {
  return { is: 'allowed', isRuled, approval, end: (outcome) => end(endingOf(outcome)) }
}

function isBusy(error: unknown): boolean {
  return error instanceof HubError && error.code === 'busy'
}

function refused(reason: string, endsTurn = false): RefusedOwnTool {
  return { is: 'refused', reason, endsTurn }
}

function endingOf(outcome: 'ok' | 'error' | 'cancelled') {
  if (outcome !== 'cancelled') return { outcome } as const
  return { outcome, error: new HubError('conflict', 'The agent gave the call up.') } as const
}

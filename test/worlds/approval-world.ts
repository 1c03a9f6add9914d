/** Approvals on a real store with sessions, without the rest of the hub. */
import { onTestFinished } from 'vitest'
import type { ApprovalOutcome, ApprovalRequest } from '../../src/api/approval.ts'
import type { NewEvent } from '../../src/api/event.ts'
import type { SessionStatus } from '../../src/api/session.ts'
import type { Approvals, ApprovalsOptions } from '../../src/approvals/approvals.ts'
import { createGrants, openApprovals } from '../../src/approvals/approvals.ts'
import { createLog } from '../../src/base/log.ts'
import type { Principal } from '../../src/base/principal.ts'
import { createRedactor } from '../../src/base/redact.ts'
import { createNotices } from '../../src/mcp/mcp.ts'
import type { CompiledGrant } from '../../src/policy/policy.ts'
import type { Store } from '../../src/store/store.ts'
import { until } from '../fixtures/until.ts'

export const ann: Principal = { tokenId: 'token-of-ann', role: 'human', label: 'ann' }
export const bob: Principal = { tokenId: 'token-of-bob', role: 'human', label: 'bob' }

/** Approvals together with their grants. */
export interface TestApprovals extends Approvals {
  grantsOf(session: string): Promise<readonly CompiledGrant[]>
}

export interface ApprovalWorld {
  readonly events: NewEvent[]
  /** The errors and warnings that its hubs logged. */
  readonly complaints: string[]
  /** Advances the clock. Otherwise it stands still. */
  pass(ms: number): void
  /** Opens the approvals as a new hub does. */
  start(store: Store, options?: Partial<ApprovalsOptions>): Promise<TestApprovals>
}

export function createApprovalWorld(): ApprovalWorld {
  const events: NewEvent[] = []
  const complaints: string[] = []
  let passedMs = 0
  return {
    events,
    complaints,
    pass: (ms) => void (passedMs += ms),
    async start(store, options) {
      const redactor = createRedactor()
      const log = createLog({ level: 'warn', redactor, destination: { write: (line) => complaints.push(line) } })
      const grants = createGrants({ store, log })
      const approvals = await openApprovals({
        store,
        grants,
        signals: { emit() {} },
        policies: { versionOf: async () => 'hub@1' },
        findSession: async (id) => ({ id }),
        hubId: 'hub-1',
        notices: createNotices(),
        events: {
          append: async (event) => {
            events.push(event)
            return { ...event, seq: events.length, id: '', at: '' }
          },
          note: async (event) => void events.push(event),
        },
        redactor,
        log,
        // Long enough for every answer of a test. A test of the end of a hold sets its own time.
        holdMs: 60_000,
        expiryMs: 3_600_000,
        maxEndedBytes: 64 * 1024 * 1024,
        hooks: { environment: {} },
        now: () => new Date(Date.parse('2026-01-01T00:00:00Z') + passedMs),
        ...options,
      })
      onTestFinished(() => approvals[Symbol.asyncDispose]())
      return { ...approvals, grantsOf: (session) => grants.of(session) }
    },
  }
}

export async function addSession(store: Store, name: string, status: SessionStatus = 'running'): Promise<string> {
  const id = `id-of-${name}`
  await store.db
    .insertInto('sessions')
    .values({
      id,
      name,
      status,
      hub_id: 'hub-1',
      template: 'shell',
      command: 'cat',
      session_type: 'long_running',
      driver: 'pty',
      mode: 'terminal',
      backend: 'holder',
      is_stop_asked: 0,
      labels: '[]',
      workspace_path: '/',
      cols: 80,
      rows: 24,
      terminal_tools: '[]',
      terminal_settings: '{}',
      priority: 0,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      args: null,
      description: null,
      socket_name: null,
      token_id: null,
      job_id: null,
      exit_code: null,
      exit_signal: null,
      last_message: null,
      activity: null,
      agent_args: '[]',
      conversation_id: null,
      resumed_from: null,
      started_at: null,
      ended_at: null,
    })
    .execute()
  return id
}

export async function setStatus(store: Store, session: string, status: SessionStatus): Promise<void> {
  await store.db.updateTable('sessions').set({ status }).where('id', '=', session).execute()
}

export function requestOf(session: string, changes: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    session,
    tool: 'github_create_issue',
    arguments: { repo: 'main', title: 'It broke' },
    rule: 'hub#3',
    policyVersion: 'hub@1',
    correlation: 'c1',
    ...changes,
  }
}

export interface TestCall {
  readonly outcome: Promise<ApprovalOutcome>
  /** The id of the approval that let the call pass, if it passed. */
  passed(): Promise<string | undefined>
  readonly messages: (string | undefined)[]
  leave(): void
}

/** Starts a call that needs an approval and is held. */
export function ask(approvals: Approvals, request: ApprovalRequest): TestCall {
  const caller = new AbortController()
  const messages: (string | undefined)[] = []
  const call = { signal: caller.signal, progress: ({ message }: { message?: string }) => void messages.push(message) }
  const outcome = approvals.obtain(request, call)
  outcome.catch(() => {})
  const passed = async () => {
    const { status, id } = await outcome.catch(() => ({ status: 'left', id: '' }))
    return status === 'approved' ? id : undefined
  }
  return { outcome, passed, messages, leave: () => caller.abort(new Error('the caller has disconnected')) }
}

/** Waits for the only pending approval and returns its id. */
export function pendingId(approvals: Approvals): Promise<string> {
  return until(async () => (await approvals.list({ status: 'pending', limit: 10 }))[0]?.id)
}

/** prompt_session, steer_session, interrupt_session, answer_question: talking to the agent of a session. */
import { z } from 'zod'
import type { Activity } from '../api/session.ts'
import { isOver } from '../api/session.ts'
import { turnStatuses, usageSchema } from '../api/thread.ts'
import { HubError } from '../base/hub-error.ts'
import { waitUntil } from '../base/wait-until.ts'
import type { Run } from '../drivers/drivers.ts'
import type { Turn, Turns } from '../gate/gate.ts'
import type { Call, Provider } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import { nameArgument } from './arguments.ts'
import type { SessionRecord } from './session-store.ts'
import type { Sessions } from './session.ts'

export interface AgentToolsOptions {
  readonly sessions: Pick<Sessions, 'find' | 'runOf' | 'activityOf' | 'onChange'>
  readonly turns: Pick<Turns, 'begin' | 'onEnd'>
}

const turnSchema = z.object({
  turn: z.string().describe('For read_thread, since: what the agent says and does in this turn.'),
  status: z
    .enum([...turnStatuses, 'working', 'waiting', 'not-delivered'])
    .describe('working: the turn goes on; waiting: for a person, see reason.'),
  answer: z.string().optional().describe('The last thing the agent said.'),
  reason: z.string().optional(),
  screen: z.string().optional().describe('If the prompt was withheld: the screen that was in the way.'),
  usage: usageSchema.optional(),
  has_thread: z.boolean().describe('read_thread shows this turn. If false, only the screen does.'),
  route: z.string().describe('Who answered.'),
})
type TurnResult = z.input<typeof turnSchema>

const textArgument = z.string().min(1).max(1_000_000)
const waitArguments = {
  wait: z.boolean().default(true).describe('Wait until the turn ends or needs a person.'),
  timeout_ms: z.int().min(0).max(3_600_000).default(120_000),
}
const steadyMs = 5_000
const annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }

export function createAgentToolProvider({ sessions, turns }: AgentToolsOptions): Provider {
  async function runOf(name: string): Promise<{ readonly record: SessionRecord; readonly run: Run }> {
    const record = await sessions.find(name)
    if (isOver(record.status)) {
      throw new HubError('conflict', `"${record.name}" has ended. Call resume_session to continue its conversation.`)
    }
    return { record, run: await sessions.runOf(record) }
  }

  /** Waits until the turn ends, or a person must do something. */
  async function waitForTurn(
    { id, name }: SessionRecord,
    turn: Turn,
    { since, timeoutMs }: { readonly since: string; readonly timeoutMs: number },
    call: Call,
  ): Promise<TurnResult> {
    const common = { turn: turn.cursor, has_thread: true, route: `session:${name}` }
    const found = await waitUntil<TurnResult>({
      sources: [
        (listener) => turns.onEnd(id, listener),
        (listener) => sessions.onChange(id, listener),
        (listener) => {
          const timer = setInterval(listener, steadyMs)
          return () => clearInterval(timer)
        },
      ],
      async look() {
        if (turn.outcome) {
          const { status, reason, answer, usage } = turn.outcome
          return {
            ...common,
            status,
            ...(answer !== undefined && { answer }),
            ...(reason !== undefined && { reason }),
            ...(usage && { usage }),
          }
        }
        const latest = await sessions.find(id)
        if (isOver(latest.status)) {
          return { ...common, status: 'failed', reason: latest.lastMessage ?? 'The session has ended.' }
        }
        const activity = sessions.activityOf(latest)
        const { is, reason } = activity
        // Right after the prompt, the activity may still be that of a dialog before it.
        if (is !== 'waiting' || activity.since < since || !isSteady(activity)) return undefined
        return { ...common, status: 'waiting', ...(reason !== undefined && { reason }) }
      },
      timeoutMs,
      signal: call.signal,
    })
    return found ?? { ...common, status: 'working' }
  }

  const tools = [
    defineTool({
      name: 'prompt_session',
      description:
        'Gives the agent of a session a prompt, as soon as it can take one, and waits for its answer. read_thread shows what it does meanwhile.',
      input: z.strictObject({ session: nameArgument, text: textArgument, ...waitArguments }),
      output: turnSchema,
      annotations,
      unrecorded: ['text'],
      async run({ session, text, wait, timeout_ms: timeoutMs }, call): Promise<TurnResult> {
        const { record, run } = await runOf(session)
        // Without a thread the hub cannot tell when the turn ends; wait_session can, by the screen.
        if (!run.hasThread) return promptWithoutThread(record, run, text, call)
        const since = new Date().toISOString()
        const turn = await turns.begin({
          session: record,
          prompt: text,
          isBusy: sessions.activityOf(record).is === 'working',
          correlation: call.correlation,
          parent: call.event,
        })
        const common = { turn: turn.cursor, has_thread: true, route: `session:${record.name}` }
        const { delivered, ...why } = await turn.deliver(() => run.prompt(text, call.signal))
        if (!delivered) return { ...common, status: 'not-delivered', ...why }
        return wait ? waitForTurn(record, turn, { since, timeoutMs }, call) : { ...common, status: 'working' }
      },
    }),
    defineTool({
      name: 'steer_session',
      description: 'Adds a text to the turn that the agent of a session works on.',
      input: z.strictObject({ session: nameArgument, text: textArgument }),
      output: z.object({ ok: z.boolean() }),
      annotations,
      unrecorded: ['text'],
      async run({ session, text }) {
        const { record, run } = await runOf(session)
        if (!run.steer) throw cannot(record, 'be steered', 'Wait until it is idle, then call prompt_session.')
        await run.steer(text)
        return { ok: true }
      },
    }),
    defineTool({
      name: 'interrupt_session',
      description: 'Ends the turn that the agent of a session works on. The session stays.',
      input: z.strictObject({ session: nameArgument }),
      output: z.object({ ok: z.boolean() }),
      annotations: { ...annotations, idempotentHint: true, openWorldHint: false },
      async run({ session }) {
        const { record, run } = await runOf(session)
        if (!run.interrupt) throw cannot(record, 'be interrupted', 'Send it keys with send_keys, such as "Escape".')
        await run.interrupt()
        return { ok: true }
      },
    }),
    defineTool({
      name: 'answer_question',
      description: 'Answers the question that an agent asks by its own protocol. get_session shows it.',
      input: z.strictObject({
        session: nameArgument,
        question: z.string().min(1).max(1_000).describe('Its id.'),
        answer: textArgument.describe('One of its choices, or a text.'),
      }),
      output: z.object({ ok: z.boolean() }),
      annotations,
      unrecorded: ['answer'],
      async run({ session, question, answer }) {
        const { record, run } = await runOf(session)
        if (!run.answer) throw cannot(record, 'ask such questions', 'Answer on its screen, with send_input.')
        await run.answer(question, answer)
        return { ok: true }
      },
    }),
  ]
  return { toolset: 'agents', tools: () => tools }
}

async function promptWithoutThread(
  { name }: SessionRecord,
  run: Run,
  text: string,
  { signal }: Call,
): Promise<TurnResult> {
  const { delivered, ...why } = await run.prompt(text, signal)
  const common = { turn: '', has_thread: false, route: `session:${name}` }
  return delivered ? { ...common, status: 'working' } : { ...common, status: 'not-delivered', ...why }
}

/** The hub answers some dialogs of an agent itself, so one that has just appeared may need no person. */
function isSteady({ source, since }: Activity): boolean {
  return source === 'approval' || Date.now() - Date.parse(since) >= steadyMs
}

function cannot({ name }: SessionRecord, what: string, instead: string): HubError {
  return new HubError('invalid', `The agent of "${name}" cannot ${what}. ${instead}`)
}

/**
 * Gemini CLI in its own terminal. Its hooks ask the gate and report, and its chat file becomes the thread.
 *
 *   BeforeTool → the rules: a refusal ends the call here, with the reason for the model
 *   its dialog → a call that a rule allows is allowed by a key; for others the dialog is an approval at the same time,
 *                and the first answer counts, in the dialog or through the hub
 *
 * A hook cannot allow, so the template tells Gemini CLI to ask about everything that changes something. If a hook is
 * missing, the dialog still shows, and only a person answers it.
 */
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Governed } from '../../api/session.ts'
import { HubError } from '../../base/hub-error.ts'
import { waitUntil } from '../../base/wait-until.ts'
import type { Companion, OpenCompanion } from '../port/companion.ts'
import { hasSystemPolicies, systemPolicies } from '../port/gemini-policies.ts'
import type { AllowedOwnTool } from '../port/own-tools.ts'
import { awaitSignOfLife } from '../port/sign-of-life.ts'
import { createTranscriptFiles } from '../port/transcript-file.ts'
import { createAnnouncedCalls } from './announced-calls.ts'
import { openChat } from './chat.ts'
import { answerDialog, dialogFor, showsDialog } from './dialog.ts'
import { earlierThreadFile, loadedNote } from './hand-over.ts'
import { isHubTool, toOwnTools } from './own-tool.ts'
import type { PendingCall } from './pending-call.ts'
import { pendingCallFile } from './pending-call.ts'

/** The last part of the path that its hooks use. */
const hookName = 'gemini'
/** A dialog that is gone for so long was answered. */
const goneMs = 400
/** An answer shows within this time whether the tool runs. */
const showsWithinMs = 3_000
const lookEveryMs = 100
/** The dialog appears a moment after its hook has run. */
const dialogWithinMs = 20_000
const hooksEndWithinMs = 10_000
const quietMs = 500
const missedMs = 2_000
/** Gemini CLI takes long to start on a busy machine. */
const loadsWithinMs = 120_000
/** A message of the person or of the model. The empty prompt has more blanks. */
const earlierMessage = /^(?: > \S|✦)/m
const busy = /Executing Hooks?:|esc to cancel/

const hookSchema = z.looseObject({
  hook_event_name: z.string(),
  session_id: z.string().optional(),
  transcript_path: z.string().optional(),
  cwd: z.string().optional(),
  tool_name: z.string().optional(),
  tool_input: z.record(z.string(), z.unknown()).optional(),
  /** Of the tool of an MCP server. */
  mcp_context: z.looseObject({ server_name: z.string() }).optional().catch(undefined),
  notification_type: z.string().optional(),
})
type HookInput = z.output<typeof hookSchema>

/** A call from its first hook until it has run or was refused. */
interface OpenCall extends PendingCall {
  readonly recorded: AllowedOwnTool[]
  isOpen: boolean
  hasRun: boolean
  /** Its dialog is being answered. */
  isAsked: boolean
  /** The screen shows that the person has answered in the dialog. */
  isAnsweredThere: boolean
  approval?: string
}

const notSeenYet: Governed = { is: 'no', reason: 'No hook of Gemini CLI has run yet.', unproven: true }
const hooksAreOff: Governed = {
  is: 'partly',
  reason:
    'The hooks of Gemini CLI do not run, so the policy does not see its tools: it shows a dialog for each that changes something. ' +
    'The workspace may have a .gemini/settings.json of its own. Add the hooks of the template to it.',
}

export const openGeminiCompanion: OpenCompanion = ({ session, terminal, isNew, report, onChange }) => {
  const { ownTools, workspacePath } = session
  const closing = new AbortController()
  const file = pendingCallFile(session.directory)
  const files = createTranscriptFiles((path) => session.openTranscript(path), onChange)
  const chat = openChat(session.thread, files)
  const announced = createAnnouncedCalls()
  let current: OpenCall | undefined
  const signOfLife = awaitSignOfLife({
    session,
    terminal,
    isNew,
    onChange,
    notSeenYet,
    hooksAreOff,
    showsQuestion: () => showsDialog(terminal),
  })
  /** `undefined`: not known yet. */
  let isPolicyIgnored: boolean | undefined
  let isLoaded = !isNew || !(session.isResumed || existsSync(earlierThreadFile(session.directory)))
  let hookCount = 0
  let ending: Promise<void> | undefined

  void hasSystemPolicies().then((hasSome) => {
    isPolicyIgnored = hasSome
    onChange()
  })
  if (session.isResumed && session.conversation !== undefined) {
    // A resumed session takes over the thread of the earlier session at once, even before the agent says something.
    void session.thread.append(session.conversation, []).catch(() => {})
  }
  if (!isNew) {
    void restore().catch(() => {})
    void noteMissedEnd().catch(() => {})
  }

  /** An earlier hub may have left a dialog open. */
  async function restore(): Promise<void> {
    const [wasSeen, pending] = await Promise.all([chat.restored, file.read()])
    if (current) return
    if (wasSeen) signOfLife.note()
    onChange()
    if (!pending) return
    current = openCall(pending, [])
    await settle(current)
  }

  /** Until Gemini CLI has loaded the earlier conversation, typed text is lost, or Enter does not send it. */
  async function untilLoaded(signal: AbortSignal): Promise<void> {
    if (isLoaded) return
    const isShown = () => {
      const rows = terminal.screen.scrollback().map(({ text }) => text)
      const loaded = session.isResumed ? earlierMessage : loadedNote
      return loaded.test(`${rows.join('\n')}\n${terminal.screen.text()}`)
    }
    const look = () => terminal.status.is !== 'running' || isShown() || undefined
    const sources = [(listener: () => void) => terminal.onChange(listener)]
    await waitUntil({ sources, look, timeoutMs: loadsWithinMs, signal })
    isLoaded = true
  }

  /** The hook that reports the end of a turn fails if no hub runs. The screen shows the end as well. */
  async function noteMissedEnd(): Promise<void> {
    for (let quiet = 0; quiet < missedMs; quiet += lookEveryMs) {
      await sleep(lookEveryMs, undefined, { ref: false })
      if (hookCount > 0 || closing.signal.aborted || terminal.status.is !== 'running') return
      if (!isIdle()) quiet = 0
    }
    report({ is: 'idle' })
    chat.end(/Request cancelled\.[^✦]*Type your message/.test(terminal.screen.text()) ? 'interrupted' : 'completed')
  }

  function isIdle(): boolean {
    const screen = terminal.screen.text()
    return /^ >   Type your message/m.test(screen) && !busy.test(screen)
  }

  async function beforeTool(message: HookInput, signal: AbortSignal): Promise<object> {
    const { tool_name: name = '', tool_input: input = {}, cwd = workspacePath, mcp_context: server } = message
    if (isHubTool(server?.server_name)) return {}
    close(current)
    const recorded: AllowedOwnTool[] = []
    let isAllowed = true
    let question: string | undefined
    for (const tool of toOwnTools({ name, input, cwd })) {
      const answer = await ownTools.check({ ...tool, agentAsks: false, signal })
      if (answer.is === 'refused') {
        const stop = answer.endsTurn ? { continue: false, stopReason: answer.reason } : {}
        return { decision: 'deny', reason: answer.reason, ...stop }
      }
      if (answer.is === 'ask') question = answer.reason
      else recorded.push(answer)
      isAllowed &&= answer.is === 'allowed' && answer.isRuled
    }
    announced.add({ name, input, cwd })
    const pending = { name, input, cwd, isAllowed, isDisputed: announced.isDisputed({ name, input, cwd }) }
    current = openCall(pending, recorded)
    await file.write(pending)
    // Gemini CLI itself would not ask about reading, but a rule demands a person's answer.
    return question === undefined ? {} : { decision: 'ask', reason: question }
  }

  /** Gets the answer to the dialog of a call, once the dialog shows. */
  async function settle(call: OpenCall): Promise<void> {
    if (call.isAsked) return
    call.isAsked = true
    if (!(await dialogShows(call))) {
      call.isAsked = false
      return
    }
    if (call.isAllowed) return answer(call, 'allow')
    report({ is: 'waiting', reason: `It wants to use ${call.name}` })
    void watchPerson(call).catch(() => {})
    for (const tool of toOwnTools(call)) {
      const decided = await ownTools.authorize({
        ...tool,
        agentAsks: true,
        signal: closing.signal,
        onHeld(approval) {
          call.approval = approval
        },
      })
      delete call.approval
      // The hub stops. The dialog stays, and a person or the next hub answers it.
      if (closing.signal.aborted) return
      // A dialog that shows again was only hidden, so it still waits for the person.
      if (call.isAnsweredThere) return
      if (decided.is === 'refused') return answer(call, 'deny')
      call.recorded.push(decided)
    }
    await answer(call, 'allow')
  }

  async function dialogShows(call: OpenCall): Promise<boolean> {
    const deadline = performance.now() + dialogWithinMs
    while (isCurrent(call) && performance.now() < deadline) {
      if (dialogFor(terminal, call)) return true
      await sleep(lookEveryMs, undefined, { ref: false })
    }
    return false
  }

  function isCurrent(call: OpenCall): boolean {
    return call === current && call.isOpen && !closing.signal.aborted
  }

  async function answer(call: OpenCall, decision: 'allow' | 'deny'): Promise<void> {
    const mayType = () => decision === 'deny' || !(call.isDisputed || announced.isDisputed(call))
    if (decision === 'allow' && !signOfLife.isSeen) return
    if (!mayType()) return report({ is: 'waiting', reason: `It asks in its dialog about ${call.name}` })
    const isTyped = await answerDialog({ terminal, call, decision, isOpen: () => isCurrent(call) && mayType() })
    if (!isTyped) return
    announced.settled(call)
    if (decision === 'allow') return report({ is: 'working' })
    close(call)
    report({ is: 'idle' })
    chat.end('interrupted')
  }

  /** A dialog that disappears without a key of the hub was answered by the person, unless it comes back. */
  async function watchPerson(call: OpenCall): Promise<void> {
    let isApproved: boolean | undefined
    while (isApproved === undefined) {
      let gone = 0
      while (isCurrent(call) && gone < goneMs) {
        await sleep(lookEveryMs, undefined, { ref: false })
        gone = dialogFor(terminal, call) ? 0 : gone + lookEveryMs
      }
      if (closing.signal.aborted || call.approval === undefined) return
      isApproved = await runs(call)
    }
    const { approval } = call
    if (approval === undefined) return
    call.isAnsweredThere = true
    announced.settled(call)
    if (!isApproved) {
      close(call)
      report({ is: 'idle' })
      chat.end('interrupted')
    }
    // Another answer may have come first.
    await ownTools.answeredInTerminal(approval, isApproved ? 'approve' : 'deny').catch(() => {})
  }

  /**
   * Whether the call was allowed: after a refusal Gemini CLI takes the next prompt, otherwise it works. `undefined`:
   * the dialog shows again.
   */
  async function runs(call: OpenCall): Promise<boolean | undefined> {
    const deadline = performance.now() + showsWithinMs
    while (!call.hasRun && performance.now() < deadline) {
      if (/Request cancelled\.[^✦]*Type your message/.test(terminal.screen.text())) return false
      if (isCurrent(call) && dialogFor(terminal, call)) return undefined
      await sleep(lookEveryMs, undefined, { ref: false })
    }
    return true
  }

  function close(call: OpenCall | undefined, outcome: 'ok' | 'cancelled' = 'cancelled'): void {
    if (!call?.isOpen) return
    call.isOpen = false
    for (const recorded of call.recorded) recorded.end(outcome)
    if (call === current) current = undefined
    void file.remove().catch(() => {})
  }

  function afterTool({ tool_name: name, tool_input: input }: HookInput): void {
    const call = current
    if (!call || call.name !== name || JSON.stringify(call.input) !== JSON.stringify(input)) return
    // A process of the agent may pretend that the tool has run.
    if (dialogFor(terminal, call)) return
    call.hasRun = true
    const { approval } = call
    close(call, 'ok')
    if (approval !== undefined) void ownTools.answeredInTerminal(approval, 'approve').catch(() => {})
  }

  /** Waits for the end of the hooks, since Gemini CLI takes no prompt before that. */
  async function endTurn(): Promise<void> {
    const deadline = performance.now() + hooksEndWithinMs
    for (
      let quiet = 0;
      quiet < quietMs && performance.now() < deadline && !closing.signal.aborted;
      quiet += lookEveryMs
    ) {
      await sleep(lookEveryMs, undefined, { ref: false })
      if (busy.test(terminal.screen.text())) quiet = 0
    }
    if (closing.signal.aborted) return
    report({ is: 'idle' })
    chat.end('completed')
  }

  async function reply(message: HookInput, signal: AbortSignal): Promise<object> {
    switch (message.hook_event_name) {
      case 'BeforeAgent':
        report({ is: 'working' })
        return {}
      case 'BeforeTool':
        report({ is: 'working' })
        return beforeTool(message, signal)
      case 'Notification':
        if (message.notification_type === 'ToolPermission' && current) void settle(current).catch(() => {})
        return {}
      case 'AfterTool':
        report({ is: 'working' })
        afterTool(message)
        return {}
      case 'AfterAgent':
        close(current)
        // A process of the agent can send this hook without end.
        ending ??= endTurn()
          .catch(() => {})
          .finally(() => (ending = undefined))
        return {}
      default:
        return {}
    }
  }

  function seen({ session_id: conversation, transcript_path: path }: HookInput): void {
    if (conversation !== undefined && path) chat.follow(conversation, path)
    if (signOfLife.isSeen) return
    signOfLife.note()
    onChange()
  }

  return {
    get governed(): Governed {
      if (!signOfLife.isSeen) return signOfLife.governed
      if (isPolicyIgnored === undefined) return notSeenYet
      if (!session.template?.args?.includes('--admin-policy')) {
        return {
          is: 'partly',
          reason: 'Its template does not give it --admin-policy. A tool whose hook fails may run.',
        }
      }
      if (!isPolicyIgnored) return { is: 'yes' }
      const reason = `Gemini CLI follows ${systemPolicies} instead of the policy of its session. A tool whose hook fails may run.`
      return { is: 'partly', reason }
    },
    question: undefined,
    get fault() {
      return files.fault ?? signOfLife.fault
    },
    async prompt(_, signal) {
      await untilLoaded(signal)
      // The prompt has to be typed.
      return undefined
    },
    actions: {
      async interrupt() {
        terminal.write(Buffer.from('\u001b'))
        close(current)
        chat.end('interrupted')
      },
    },
    async hook({ name, body }, signal) {
      const { data: message } = hookSchema.safeParse(body)
      if (name !== hookName || !message) {
        throw new HubError('not-found', `Gemini CLI's hooks use the name "${hookName}".`)
      }
      hookCount += 1
      seen(message)
      return reply(message, signal)
    },
    [Symbol.dispose]() {
      signOfLife[Symbol.dispose]()
      closing.abort()
      chat[Symbol.dispose]()
    },
  } satisfies Companion
}

function openCall(pending: PendingCall, recorded: AllowedOwnTool[]): OpenCall {
  return { ...pending, recorded, isOpen: true, hasRun: false, isAsked: false, isAnsweredThere: false }
}

/**
 * Claude Code in its own terminal. Its hooks ask the gate. Its transcript becomes the thread, and shows its activity.
 *
 *   PreToolUse → the rules: allow, deny, or ask → its dialog, and PermissionRequest
 *   PermissionRequest → an approval: the first answer counts, in the dialog or through the hub
 */
import { hash } from 'node:crypto'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NewEntry } from '../../api/thread.ts'
import { HubError } from '../../base/hub-error.ts'
import type { Companion, OpenCompanion } from '../port/companion.ts'
import { forgetOldest } from '../port/forget-oldest.ts'
import type { AllowedOwnTool } from '../port/own-tools.ts'
import { awaitSignOfLife } from '../port/sign-of-life.ts'
import { createTranscriptFiles } from '../port/transcript-file.ts'
import { permissionHookAnswer, toolHookAnswer } from './answers.ts'
import { asksAboutTool, dialogKeys, isWorking, showsDialog, watchDialog } from './dialog.ts'
import { governedIn, hooksAreOff, notSeenYet } from './governed.ts'
import { isToolOfHub, toOwnTool } from './own-tool.ts'
import { asksPerson } from './questions.ts'
import type { HookInput } from './stream-line.ts'
import { hookInputSchema } from './stream-line.ts'
import type { HeldTool } from './transcript.ts'
import { openTranscript } from './transcript.ts'

/** The last part of the path that its hooks use. */
const hookName = 'claude'
const tryEveryMs = 1_000
const mostTries = 5
/** The results of a subagent are in another file, so the end of its calls is never seen here. */
const mostCalls = 1_000

interface SeenCall {
  readonly id: string
  /** Of tool and arguments. A permission question does not name its call, so the call is recognized by this. */
  readonly digest: string
  allowed?: AllowedOwnTool
  /** The approval that waits for an answer. */
  approval?: string
  /** Ends the wait of a call that an earlier hub asked about. */
  closed?: AbortController
}

export const openClaudeCompanion: OpenCompanion = ({ session, terminal, isNew, report, onChange }) => {
  const { ownTools, workspacePath } = session
  const calls = new Map<string, SeenCall>()
  /** The approvals that ended because a person said yes in the dialog. */
  const answeredInDialog = new Set<string>()
  let permissionMode: string | undefined
  const signOfLife = awaitSignOfLife({
    session,
    terminal,
    isNew,
    onChange,
    notSeenYet,
    hooksAreOff,
    showsQuestion: () => asksAboutTool(terminal),
  })

  const files = createTranscriptFiles((path) => session.openTranscript(path), onChange)
  const transcript = openTranscript({
    thread: session.thread,
    files,
    onHeldBefore(held) {
      for (const [id, tool] of Object.entries(held)) holdAgain(id, tool).catch(() => {})
    },
    onRead({ entries, ran }) {
      // Only a hook says where the transcript is.
      signOfLife.note()
      permissionMode = transcript.state?.permissionMode ?? permissionMode
      for (const id of ran) noteYes(calls.get(id)?.approval)
      for (const entry of entries) {
        if (entry.type !== 'tool-result') continue
        if (!ran.includes(entry.callId)) calls.get(entry.callId)?.closed?.abort()
        end(entry.callId, entry.error === undefined ? 'ok' : 'error')
      }
      reportActivity(entries)
      onChange()
    },
  })
  if (session.isResumed && session.conversation !== undefined) {
    // A resumed session takes over the thread of the earlier session at once, even before the agent says something.
    void session.thread.append(session.conversation, []).catch(() => {})
  }

  /** A requested call reports nothing: it may still wait in a dialog, which the screen shows. */
  function reportActivity(entries: readonly NewEntry[]): void {
    const last = entries.at(-1)?.type
    if (last === 'complete') report({ is: 'idle' })
    else if (last === 'prompt' || last === 'tool-result') report({ is: 'working' })
  }

  /**
   * The person said yes in the dialog while the approval still waits. Any program that can write to the transcript or
   * to the screen can fake that. So this ends the approval, but never lets Claude Code run anything.
   */
  function noteYes(approval: string | undefined): void {
    if (approval === undefined || answeredInDialog.has(approval)) return
    answeredInDialog.add(approval)
    // Another answer may have come first.
    ownTools.answeredInTerminal(approval, 'approve').catch(() => {})
  }

  function end(id: string, outcome: 'ok' | 'error'): void {
    calls.get(id)?.allowed?.end(outcome)
    calls.delete(id)
  }

  function callOf({ tool_name: name = '', tool_input: input = {}, cwd = workspacePath }: HookInput) {
    const digest = hash('sha256', JSON.stringify([name, input]))
    return { digest, ownTool: toOwnTool({ name, input, cwd }), input, name }
  }

  async function beforeTool(message: HookInput, signal: AbortSignal): Promise<object> {
    const { digest, ownTool, name } = callOf(message)
    if (isToolOfHub(name, message.mcp_server?.name)) return {}
    const answer = await ownTools.check({ ...ownTool, agentAsks: false, signal })
    const { tool_use_id: id } = message
    if (id !== undefined && answer.is !== 'refused') {
      calls.set(id, { id, digest, ...(answer.is === 'allowed' && { allowed: answer }) })
      forgetOldest(calls, mostCalls, ({ approval, closed }) => approval !== undefined || closed !== undefined)
    }
    return toolHookAnswer(answer)
  }

  async function onPermissionRequest(message: HookInput, signal: AbortSignal): Promise<object> {
    const { digest, ownTool, input, name } = callOf(message)
    if (isToolOfHub(name, message.mcp_server?.name) || asksPerson(name)) {
      // A person answers in the dialog. An approval could only say yes or no.
      report({ is: 'waiting', reason: `It wants to use ${name}` })
      return {}
    }
    const call = [...calls.values()].find((each) => each.digest === digest && each.approval === undefined)
    // Stored before a person is asked, so that the next hub knows of the question if this one is killed now.
    if (call) await transcript.hold(call.id, ownTool)
    let stopWatching = () => {}
    const answer = await ownTools.authorize({
      ...ownTool,
      agentAsks: true,
      signal,
      onHeld(approval) {
        if (call) call.approval = approval
        stopWatching()
        stopWatching = watchDialog(terminal, () => noteYes(approval))
      },
    })
    stopWatching()
    if (answer.is === 'refused' && answer.isUndecided) return untilGone(signal)
    if (call) {
      delete call.approval
      void transcript.hold(call.id, undefined)
    }
    if (answer.is === 'allowed' && answeredInDialog.delete(answer.approval ?? '')) return {}
    if (call && answer.is === 'allowed') call.allowed = answer
    if (!signal.aborted) report({ is: 'working' })
    return permissionHookAnswer(answer, input)
  }

  /**
   * Takes over a question of an earlier hub. The dialog still shows, but its hook is gone, so the answer of the person
   * is typed.
   */
  async function holdAgain(id: string, ownTool: HeldTool): Promise<void> {
    const call: SeenCall = { id, digest: '', closed: new AbortController() }
    calls.set(id, call)
    let stopWatching = () => {}
    const answer = await ownTools.authorize({
      ...ownTool,
      agentAsks: true,
      signal: call.closed!.signal,
      onHeld(approval) {
        call.approval = approval
        stopWatching = watchDialog(terminal, () => noteYes(approval))
      },
    })
    stopWatching()
    if (answer.is === 'refused' && answer.isUndecided) return
    void transcript.hold(id, undefined)
    const isAnswered = call.closed!.signal.aborted || answeredInDialog.has(call.approval ?? '')
    // The dialog may ignore keys for a moment.
    for (let tries = 0; !isAnswered && tries < mostTries && showsDialog(terminal, ownTool.arguments); tries += 1) {
      terminal.write(Buffer.from(answer.is === 'allowed' ? dialogKeys.yes : dialogKeys.no))
      await sleep(tryEveryMs)
    }
  }

  function seen({ session_id: conversation, transcript_path: path, permission_mode: mode }: HookInput): void {
    const wasSeen = signOfLife.isSeen && mode === permissionMode
    signOfLife.note()
    permissionMode = mode ?? permissionMode
    if (conversation !== undefined && path !== undefined && basename(path) === `${conversation}.jsonl`) {
      transcript.follow(conversation, path)
    }
    if (!wasSeen) onChange()
  }

  async function answer(message: HookInput, signal: AbortSignal): Promise<object> {
    switch (message.hook_event_name) {
      case 'PreToolUse':
        return beforeTool(message, signal)
      case 'PermissionRequest':
        return onPermissionRequest(message, signal)
      case 'UserPromptSubmit':
        report({ is: 'working' })
        return {}
      default:
        return {}
    }
  }

  return {
    get governed() {
      return signOfLife.isSeen ? governedIn(permissionMode) : signOfLife.governed
    },
    question: undefined,
    get fault() {
      return files.fault ?? signOfLife.fault
    },
    actions: {
      async interrupt() {
        if (transcript.state?.turn === 'none' && !isWorking(terminal)) return
        // Claude Code may miss a key. But at its prompt, a second Escape would open a menu.
        for (let tries = 0; tries < mostTries && (tries === 0 || isWorking(terminal)); tries++) {
          terminal.write(Buffer.from('\u001b'))
          await sleep(tryEveryMs)
        }
      },
    },
    async hook({ name, body }, signal) {
      const { data: message } = hookInputSchema.safeParse(body)
      if (name !== hookName || !message) {
        throw new HubError('not-found', `Claude Code's hooks use the name "${hookName}".`)
      }
      seen(message)
      void transcript.read()
      return answer(message, signal)
    },
    [Symbol.dispose]() {
      signOfLife[Symbol.dispose]()
      transcript[Symbol.dispose]()
    },
  } satisfies Companion
}

/** Leaves the hook waiting, because the hub stops. The dialog stays, and a person can still answer there. */
function untilGone(signal: AbortSignal): Promise<object> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve({}), { once: true }))
}

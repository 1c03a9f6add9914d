/** Answers approvals at the keyboard: shows the calls that wait, takes keys, and follows the answers of other people. */
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { approvalSchema } from '../../api/approval.ts'
import type { Approval, ApprovalDecision } from '../../api/approval.ts'
import { messageOf } from '../../base/hub-error.ts'
import { decisionInput, decisionSchema, readApproval, readPreview } from './approval-tools.ts'
import { createApprovalQueue } from './approval-queue.ts'
import type { ScreenState } from './approvals-screen.ts'
import { drawScreen } from './approvals-screen.ts'
import { ask } from '../hub-client/ask-hub.ts'
import { openRawTerminal } from '../attach/raw-terminal.ts'
import { CliError } from '../command/cli-error.ts'
import type { HubClient } from '../hub-client/hub-client.ts'

const changesSchema = z.object({ approvals: z.array(approvalSchema), cursor: z.string() })
const pollMs = 25_000
const reconnectMs = 1_000

/** Runs until the person quits. Returns one line for each answer they gave. */
export async function answerInteractively(connect: () => HubClient): Promise<readonly string[]> {
  const queue = createApprovalQueue()
  const answered: string[] = []
  const finished = Promise.withResolvers<void>()
  let hub: HubClient | undefined = connect()
  // Fails before it takes over the screen if no hub answers.
  await ask(hub, 'wait_approvals', { timeout_ms: 0 })
  let hasQuit = false
  let state: ScreenState = { is: 'empty' }
  let notice = ''
  let scrolled = 0
  /** A request runs. Keys are ignored meanwhile, because the screen is about to change. */
  let isBusy = false

  function draw(): void {
    const drawn = drawScreen({ state, waiting: queue.size, notice, scrolled }, terminal.size, new Date())
    scrolled = Math.min(scrolled, drawn.maxScrolled)
    terminal.write(drawn.text)
  }

  function showNotice(text: string): void {
    notice = text
    draw()
  }

  function show(next: ScreenState): void {
    state = next
    scrolled = 0
    draw()
  }

  function showNext(): void {
    const next = queue.current
    if (next?.arguments_left_out !== undefined) void loadAndShow(next)
    else show(next ? { is: 'card', approval: next } : { is: 'empty' })
  }

  /** Loads the arguments that the list left out, so that a person answers only a call they see in full. */
  async function loadAndShow(approval: Approval): Promise<void> {
    show({ is: 'reading', approval })
    let next: ScreenState = { is: 'empty' }
    try {
      if (hub) next = { is: 'card', approval: await readApproval(hub, approval.id) }
    } catch (error) {
      notice = messageOf(error)
    }
    if (state.is === 'reading' && state.approval.id === approval.id) show(next)
  }

  function quit(): void {
    hasQuit = true
    finished.resolve()
  }

  /** Makes a request to the hub and shows its error, if any. */
  async function request(work: (hub: HubClient) => Promise<void>): Promise<void> {
    isBusy = true
    try {
      if (!hub) throw new CliError('unreachable', 'The hub does not answer at the moment.')
      await work(hub)
    } catch (error) {
      notice = messageOf(error)
      showNext()
    } finally {
      isBusy = false
    }
  }

  const decide = (approval: Approval, decision: ApprovalDecision, more: { reason?: string; scope?: string } = {}) =>
    request(async (client) => {
      const { reason, ...wider } = more
      const input = { ...decisionInput(approval.id, decision, reason), ...wider }
      const decided = decisionSchema.parse(await ask(client, 'decide_approval', input))
      queue.update([decided])
      const note = decided.note === undefined ? '' : `. ${decided.note}`
      notice = `${decided.id} is ${decided.status}: ${decided.tool} in ${decided.session}${note}`
      answered.push(notice)
      showNext()
    })

  const preview = (approval: Approval, scope: 'session' | 'rule') =>
    request(async (client) => {
      const input = { ...decisionInput(approval.id, 'approve', undefined), scope, dry_run: true }
      const grant = readPreview(await ask(client, 'decide_approval', input))
      if (grant) show({ is: 'grant', approval, scope, grant })
    })

  function press(key: string): void {
    if (key === '\x03' || (isBusy && key === 'q')) return quit()
    if (isBusy) return
    const move = scrollSteps[key]
    if (move !== undefined && state.is !== 'reason') {
      scrolled = Math.max(0, scrolled + move)
      return draw()
    }
    switch (state.is) {
      case 'empty':
      case 'reading':
        if (key === 'q') quit()
        break
      case 'card':
        pressOnCard(key, state.approval)
        break
      case 'reason':
        pressInReason(key, state)
        break
      case 'grant':
        if (key === 'y') void decide(state.approval, 'approve', { scope: state.scope })
        else if (key === 'n' || key === '\x1b') showNext()
        break
      case 'closed':
        if (key === 'q') quit()
        else if (key === ' ') showNext()
        else showNotice('Nothing was done: this call needs no answer any more.')
        break
    }
  }

  function pressOnCard(key: string, approval: Approval): void {
    notice = ''
    if (key === 'q') quit()
    else if (key === 'a') void decide(approval, 'approve')
    else if (key === 'd') show({ is: 'reason', approval, decision: 'deny', text: '' })
    else if (key === 'x') show({ is: 'reason', approval, decision: 'abort', text: '' })
    else if (key === 's') void preview(approval, 'session')
    else if (key === 'r') void preview(approval, 'rule')
    else if (key === 'n') {
      queue.skip()
      showNext()
    }
  }

  function pressInReason(key: string, { approval, decision, text }: ScreenState & { is: 'reason' }): void {
    if (key === '\x1b') showNext()
    else if (key === '\r' || key === '\n') void decide(approval, decision, { reason: text.trim() })
    else if (key === '\x7f' || key === '\b') show({ is: 'reason', approval, decision, text: text.slice(0, -1) })
    else if (!key.startsWith('\x1b'))
      show({ is: 'reason', approval, decision, text: text + key.replaceAll(/\s/g, ' ') })
  }

  function disconnect(): void {
    hub?.[Symbol.dispose]()
    hub = undefined
  }

  /** Starts from the current list, and starts again after the hub was lost. */
  async function follow(): Promise<void> {
    let since: string | undefined
    while (!hasQuit) {
      try {
        hub ??= connect()
        const input = since === undefined ? { timeout_ms: 0 } : { since, timeout_ms: pollMs }
        const changes = changesSchema.parse(await ask(hub, 'wait_approvals', input, { timeoutMs: pollMs + 15_000 }))
        update(changes.approvals, since === undefined)
        since = changes.cursor
      } catch (error) {
        if (hasQuit) return
        if (!(error instanceof CliError) || error.exit === 'unauthorized') throw error
        showNotice(`${error.message} Trying again.`)
        since = undefined
        disconnect()
        await delay(reconnectMs)
      }
    }
  }

  function update(approvals: readonly Approval[], isStart: boolean): void {
    const shownBefore = state.is === 'empty' ? undefined : state.approval
    if (isStart) queue.reset(approvals)
    const ended = isStart ? undefined : queue.update(approvals)
    if (ended && !isBusy) return show({ is: 'closed', approval: ended })
    if (isStart) notice = ''
    // Rings the bell only for the first call: further calls do not need the person's attention yet.
    if (state.is === 'empty' && queue.current) terminal.write('\x07')
    const isUnchanged = shownBefore !== undefined && (state.is === 'closed' || queue.current?.id === shownBefore.id)
    if (isUnchanged) draw()
    else if (!isBusy) showNext()
  }

  using terminal = openRawTerminal('approvals', {
    onInput(bytes) {
      const input = bytes.toString()
      const scrolls = input.match(scrollKeys) ?? []
      if (state.is !== 'reason' && scrolls.join('') === input) for (const key of scrolls) press(key)
      else if (state.is === 'reason' || input.length === 1) press(input)
      else {
        // Text that is pasted by mistake must not answer a call.
        showNotice('Nothing was done: press one key at a time.')
      }
    },
    onResize: draw,
    onHangUp: quit,
  })
  terminal.write('\x1b[?25l')
  draw()
  await Promise.race([finished.promise, follow()])
  hasQuit = true
  disconnect()
  return answered
}

const pageLines = 10
// oxlint-disable-next-line no-control-regex
const scrollKeys = /\x1b[[O][AB]|\x1b\[[56]~/g
const scrollSteps: Readonly<Record<string, number>> = {
  '\x1b[A': -1,
  '\x1bOA': -1,
  '\x1b[B': 1,
  '\x1bOB': 1,
  '\x1b[5~': -pageLines,
  '\x1b[6~': pageLines,
}

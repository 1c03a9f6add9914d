/** Approvals answered at the keyboard: shows what waits, takes keys, and hears of what others do. */
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { approvalSchema } from '../api/approval.ts'
import type { Approval, ApprovalDecision } from '../api/approval.ts'
import { messageOf } from '../base/hub-error.ts'
import { decisionInput, readApproval, readPreview } from './approval-answer.ts'
import { createApprovalQueue } from './approval-queue.ts'
import type { Desk } from './approvals-screen.ts'
import { drawDesk } from './approvals-screen.ts'
import { ask } from './ask-hub.ts'
import { openOwnTerminal } from './attach/own-terminal.ts'
import { CliError } from './cli-error.ts'
import type { HubConnection } from './hub-client.ts'

const newsSchema = z.object({ approvals: z.array(approvalSchema), cursor: z.string() })
const waitMs = 25_000
const reconnectMs = 1_000

/** Until the person leaves. Answers with what they did, a line for each. */
export async function answerAtKeyboard(connect: () => Promise<HubConnection>): Promise<readonly string[]> {
  const queue = createApprovalQueue()
  const answered: string[] = []
  const left = Promise.withResolvers<void>()
  let hub: HubConnection | undefined = await connect()
  let isOver = false
  let desk: Desk = { is: 'empty' }
  let notice = ''
  let scrolled = 0
  /** Keys pressed while an answer is on its way are for nothing that can be seen. */
  let isBusy = false

  function draw(): void {
    const drawn = drawDesk({ desk, waiting: queue.size, notice, scrolled }, terminal.size, new Date())
    scrolled = Math.min(scrolled, drawn.mostScrolled)
    terminal.write(drawn.text)
  }

  function tell(what: string): void {
    notice = what
    draw()
  }

  function show(next: Desk): void {
    desk = next
    scrolled = 0
    draw()
  }

  function showNext(): void {
    const next = queue.current
    if (next?.arguments_left_out !== undefined) void showWhole(next)
    else show(next ? { is: 'card', approval: next } : { is: 'empty' })
  }

  /** A list cuts what is large, and nobody answers what they have not been shown. */
  async function showWhole(approval: Approval): Promise<void> {
    show({ is: 'reading', approval })
    let next: Desk = { is: 'empty' }
    try {
      if (hub) next = { is: 'card', approval: await readApproval(hub, approval.id) }
    } catch (error) {
      notice = messageOf(error)
    }
    if (desk.is === 'reading' && desk.approval.id === approval.id) show(next)
  }

  function leave(): void {
    isOver = true
    left.resolve()
  }

  /** Something to ask the hub; what it refuses is shown. */
  async function busy(work: (hub: HubConnection) => Promise<void>): Promise<void> {
    isBusy = true
    try {
      if (!hub) throw new CliError('unreachable', 'The hub does not answer now.')
      await work(hub)
    } catch (error) {
      notice = messageOf(error)
      showNext()
    } finally {
      isBusy = false
    }
  }

  const decide = (approval: Approval, decision: ApprovalDecision, more: { reason?: string; scope?: string } = {}) =>
    busy(async (connection) => {
      const { reason, ...wider } = more
      const input = { ...decisionInput(approval.id, decision, reason), ...wider }
      const decided = approvalSchema.parse(await ask(connection, 'decide_approval', input))
      queue.take([decided])
      notice = `${decided.id} is ${decided.status}: ${decided.tool} in ${decided.session}`
      answered.push(notice)
      showNext()
    })

  const preview = (approval: Approval, scope: 'session' | 'rule') =>
    busy(async (connection) => {
      const input = { ...decisionInput(approval.id, 'approve', undefined), scope, dry_run: true }
      const grant = readPreview(await ask(connection, 'decide_approval', input))
      if (grant) show({ is: 'grant', approval, scope, grant })
    })

  function press(key: string): void {
    if (key === '\x03' || (isBusy && key === 'q')) return leave()
    if (isBusy) return
    const move = scrolling[key]
    if (move !== undefined && desk.is !== 'reason') {
      scrolled = Math.max(0, scrolled + move)
      return draw()
    }
    switch (desk.is) {
      case 'empty':
      case 'reading':
        if (key === 'q') leave()
        break
      case 'card':
        pressOnCard(key, desk.approval)
        break
      case 'reason':
        pressInReason(key, desk)
        break
      case 'grant':
        if (key === 'y') void decide(desk.approval, 'approve', { scope: desk.scope })
        else if (key === 'n' || key === '\x1b') showNext()
        break
      case 'gone':
        if (key === 'q') leave()
        else if (key === ' ') showNext()
        else tell('This call needs no answer any more: nothing was done.')
        break
    }
  }

  function pressOnCard(key: string, approval: Approval): void {
    notice = ''
    if (key === 'q') leave()
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

  function pressInReason(key: string, { approval, decision, text }: Desk & { is: 'reason' }): void {
    if (key === '\x1b') showNext()
    else if (key === '\r' || key === '\n') void decide(approval, decision, { reason: text.trim() })
    else if (key === '\x7f' || key === '\b') show({ is: 'reason', approval, decision, text: text.slice(0, -1) })
    else if (!key.startsWith('\x1b'))
      show({ is: 'reason', approval, decision, text: text + key.replaceAll(/\s/g, ' ') })
  }

  async function disconnect(): Promise<void> {
    const before = hub
    hub = undefined
    // It may be gone already, which is what is wanted.
    await Promise.resolve(before?.[Symbol.asyncDispose]()).catch(() => {})
  }

  /** From the state as it is on, again from there after the hub was away. */
  async function follow(): Promise<void> {
    let since: string | undefined
    while (!isOver) {
      try {
        hub ??= await connect()
        const input = since === undefined ? { timeout_ms: 0 } : { since, timeout_ms: waitMs }
        const news = newsSchema.parse(await ask(hub, 'wait_approvals', input, { timeoutMs: waitMs + 15_000 }))
        hear(news.approvals, since === undefined)
        since = news.cursor
      } catch (error) {
        if (isOver) return
        if (!(error instanceof CliError) || error.exit === 'unauthorized') throw error
        tell(`${error.message} Trying again.`)
        since = undefined
        await disconnect()
        await delay(reconnectMs)
      }
    }
  }

  function hear(approvals: readonly Approval[], isStart: boolean): void {
    const shownBefore = desk.is === 'empty' ? undefined : desk.approval
    if (isStart) queue.begin(approvals)
    const ended = isStart ? undefined : queue.take(approvals)
    if (ended && !isBusy) return show({ is: 'gone', approval: ended })
    if (isStart) notice = ''
    // The first to come calls the person; what comes behind it does not take their eyes off.
    if (desk.is === 'empty' && queue.current) terminal.write('\x07')
    const isStillThere = shownBefore !== undefined && (desk.is === 'gone' || queue.current?.id === shownBefore.id)
    if (isStillThere) draw()
    else if (!isBusy) showNext()
  }

  using terminal = openOwnTerminal('approvals', {
    onInput(bytes) {
      const input = bytes.toString()
      const scrolls = input.match(scrollKeys) ?? []
      if (desk.is !== 'reason' && scrolls.join('') === input) for (const key of scrolls) press(key)
      else if (desk.is === 'reason' || input.length === 1) press(input)
      else {
        // A text that is pasted here by mistake must not answer anything.
        tell('One key at a time: nothing was done.')
      }
    },
    onResize: draw,
    onHangUp: leave,
  })
  terminal.write('\x1b[?25l')
  draw()
  await Promise.race([left.promise, follow()])
  isOver = true
  await disconnect()
  return answered
}

const page = 10
// oxlint-disable-next-line no-control-regex
const scrollKeys = /\x1b[[O][AB]|\x1b\[[56]~/g
const scrolling: Readonly<Record<string, number>> = {
  '\x1b[A': -1,
  '\x1bOA': -1,
  '\x1b[B': 1,
  '\x1bOB': 1,
  '\x1b[5~': -page,
  '\x1b[6~': page,
}

/**
 * Shows a session on the person's terminal and takes there what is typed, until it ends or the person leaves. A hub that
 * goes away is waited for.
 *
 *   claim the keyboard → take the window's size → draw → show what is printed, again and again
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { TerminalSize } from '../../api/session.ts'
import { CliError } from '../cli-error.ts'
import type { Drawing, Output } from '../session-output.ts'
import { openOwnTerminal } from './own-terminal.ts'
import { createTypist } from './typist.ts'
import { createView } from './view.ts'
import type { Visit } from './visit.ts'

export interface AttachOptions {
  readonly name: string
  readonly viewer: string
  readonly isReadOnly: boolean
  readonly takeOver: boolean
  readonly detachKey: DetachKey
  /** Called again whenever the hub was lost; another one may have its place. */
  visit(): Promise<Visit>
}

export interface DetachKey {
  readonly character: string
  readonly name: string
}

export type Ending = 'detached' | 'ended'

export async function attachSession(options: AttachOptions): Promise<Ending> {
  const { name, viewer, isReadOnly, detachKey } = options
  /** None while the hub is lost. */
  let visit: Visit | undefined = await options.visit()
  // What can be refused is refused before the terminal is touched.
  if (!isReadOnly) await claimOrRefuse(visit, options)
  const { createScreen } = await import('../../terminal/terminal.ts')
  let writer: string | undefined
  let resized = Promise.withResolvers<'resized'>()

  const { promise: left, resolve: leave } = Promise.withResolvers<Ending>()
  const typist = createTypist({ detachKey: detachKey.character, send: type, onDetach: () => leave('detached') })
  using terminal = openOwnTerminal('attach', {
    onInput: (bytes) => typist.type(bytes),
    onResize: () => void takeSize().then(() => resized.resolve('resized')),
    onHangUp: () => leave('detached'),
  })
  const view = createView(terminal, { clipboard: !isReadOnly, createScreen })

  async function type(text: string): Promise<void> {
    if (!visit) return
    if (isReadOnly) return view.tell(`You are watching ${name}. ${detachKey.name} leaves.`)
    try {
      if (!isOther(writer)) return await visit.type(text)
      if (!text.endsWith('\r')) return tellWhyNot('')
      await visit.claim({ takeOver: true })
      await takeSize()
    } catch (error) {
      typist.forget()
      // If the hub is lost, whoever waits for output finds that out too.
      if (error instanceof CliError && error.exit === 'tool-error') tellWhyNot(error.message)
    }
  }

  function tellWhyNot(reason: string): void {
    view.tell(isOther(writer) ? `${writer} is typing now. Enter takes over, ${detachKey.name} leaves.` : reason)
  }

  function isOther(someone: string | undefined): boolean {
    return someone !== undefined && someone !== viewer
  }

  /** The session has the size of the window of whoever types. */
  async function takeSize(): Promise<void> {
    if (!isReadOnly) await visit?.resize(terminal.size).catch(() => {})
  }

  async function show(from: Visit): Promise<'ended'> {
    await takeSize()
    let drawing = await draw(from)
    let { offset } = drawing
    for (;;) {
      const output = await nextOutput(from, offset)
      if (output === 'resized') {
        drawing = await draw(from)
        offset = drawing.offset
        continue
      }
      const { isStale } = view.show(output.bytes)
      offset = output.nextOffset
      if (output.hasEnded && output.bytes.length === 0) return 'ended'
      const isPassedOn = output.writer !== writer
      writer = output.writer
      if (isStale || isPassedOn || output.dropped > 0 || !isSameSize(output.size, drawing.size)) {
        drawing = await draw(from)
        // What could not be drawn is not played again: it may be what made us draw.
        offset = Math.max(offset, drawing.offset)
        if (isPassedOn && isOther(writer) && !isReadOnly) tellWhyNot('')
      }
    }
  }

  async function draw(from: Visit): Promise<Drawing> {
    const drawing = await from.draw()
    view.draw(drawing.sequences, drawing.size)
    return drawing
  }

  /** Or the news that our own window has another size, which leaves anything on it. */
  async function nextOutput(from: Visit, offset: number): Promise<Output | 'resized'> {
    const reading = from.read(offset)
    const first = await Promise.race([reading, resized.promise])
    if (first !== 'resized') return first
    resized = Promise.withResolvers()
    // Nobody waits for it any more.
    reading.catch(() => {})
    return first
  }

  /** Over as many connections as it takes. */
  async function showOn(): Promise<'ended'> {
    for (;;) {
      try {
        await using present = (visit ??= await returning())
        return await show(present)
      } catch (error) {
        visit = undefined
        if (!isLoss(error)) throw error
        view.tell(`The hub does not answer; waiting for it. ${detachKey.name} leaves.`)
        await delay(retryMs)
      }
    }
  }

  /** A hub that has started anew does not know who typed. */
  async function returning(): Promise<Visit> {
    const next = await options.visit()
    if (!isReadOnly) await next.claim({ takeOver: false })
    return next
  }

  return await Promise.race([left, showOn()])
}

const retryMs = 500

async function claimOrRefuse(visit: Visit, { name, takeOver }: AttachOptions): Promise<void> {
  const { granted, writer } = await visit.claim({ takeOver })
  if (granted) return
  throw new CliError(
    'failed',
    `"${writer}" is typing in ${name}. To type instead, attach with --take-over; to watch, with --read-only.`,
  )
}

/** The hub may come back. What it has refused, it will refuse again. */
function isLoss(error: unknown): boolean {
  return error instanceof CliError && (error.exit === 'unreachable' || error.exit === 'failed')
}

function isSameSize(a: TerminalSize, b: TerminalSize): boolean {
  return a.cols === b.cols && a.rows === b.rows
}

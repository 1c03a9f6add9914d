/**
 * Shows a session on the person's terminal and takes there what is typed, until it ends or the person leaves. A hub that
 * goes away is waited for.
 *
 *   claim the keyboard → take the window's size → draw → show what is printed, again and again
 */
import { setTimeout as delay } from 'node:timers/promises'
import { CliError } from '../cli-error.ts'
import { createBell } from './bell.ts'
import type { Following } from './follow-visit.ts'
import { followVisit } from './follow-visit.ts'
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
  /** Another viewer who types. */
  let other: string | undefined
  let told: string | undefined
  const redraw = createBell()

  const { promise: left, resolve: leave } = Promise.withResolvers<Ending>()
  const typist = createTypist({ detachKey: detachKey.character, send: type, onDetach: () => leave('detached') })
  using terminal = openOwnTerminal('attach', {
    onInput: (bytes) => typist.type(bytes),
    onResize: () => void takeSize().then(() => redraw.ring()),
    onHangUp: () => leave('detached'),
  })
  const view = createView(terminal, { clipboard: !isReadOnly, createScreen })

  async function type(text: string): Promise<void> {
    if (!visit) return
    if (isReadOnly) return tellBriefly(`You are watching ${name}. ${detachKey.name} leaves.`)
    try {
      if (other === undefined) return await visit.type(text)
      // A notice says who types, and how to take over.
      if (!text.endsWith('\r')) return
      await visit.claim({ takeOver: true })
      other = undefined
      await takeSize()
    } catch (error) {
      typist.forget()
      tellRefusal(error)
    }
  }

  function tell(notice: string | undefined): void {
    told = notice
    view.tell(notice)
  }

  /** For as long as it takes to read, unless there is something else to tell by then. */
  function tellBriefly(notice: string): void {
    tell(notice)
    setTimeout(() => {
      if (told !== notice) return
      tell(undefined)
      redraw.ring()
    }, noticeMs).unref()
  }

  /** If the hub is lost, whoever waits for output finds that out too. */
  function tellRefusal(error: unknown): void {
    if (error instanceof CliError && error.exit === 'tool-error') tellBriefly(error.message)
  }

  /** The session has the size of the window of whoever types. */
  async function takeSize(): Promise<void> {
    if (!isReadOnly && other === undefined) await visit?.resize(terminal.size).catch(tellRefusal)
  }

  const following: Following = {
    view,
    redraw,
    onWriter(writer) {
      other = writer === viewer ? undefined : writer
      const isToldOf = other !== undefined && !isReadOnly
      tell(isToldOf ? `${other} is typing now. Enter takes over, ${detachKey.name} leaves.` : undefined)
    },
  }

  /** Over as many connections as it takes. */
  async function show(): Promise<'ended'> {
    for (;;) {
      try {
        await using present = (visit ??= await comeBack())
        tell(undefined)
        await takeSize()
        await followVisit(present, following)
        return 'ended'
      } catch (error) {
        visit = undefined
        if (!isLoss(error)) throw error
        tell(`The hub does not answer; waiting for it. ${detachKey.name} leaves.`)
        await delay(retryMs)
      }
    }
  }

  /** A hub that has started anew does not know who typed. */
  async function comeBack(): Promise<Visit> {
    const next = await options.visit()
    if (!isReadOnly) await next.claim({ takeOver: false })
    return next
  }

  return await Promise.race([left, show()])
}

const retryMs = 500
const noticeMs = 3_000

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

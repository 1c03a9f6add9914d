/**
 * Shows a session on the person's terminal and sends their input to it, until the session ends or the person detaches. If
 * the hub goes away, this waits for it to come back.
 *
 *   claim the keyboard → set the session to the window's size → draw a snapshot → show output as it arrives
 */
import { setTimeout as delay } from 'node:timers/promises'
import { CliError } from '../command/cli-error.ts'
import { createLatch } from './latch.ts'
import type { FollowOptions } from './follow-output.ts'
import { followOutput } from './follow-output.ts'
import { openRawTerminal } from './raw-terminal.ts'
import { createInputSender } from './input-sender.ts'
import { createView } from './view.ts'
import type { Attachment } from './attachment.ts'

export interface AttachOptions {
  readonly name: string
  readonly viewer: string
  readonly isReadOnly: boolean
  readonly takeOver: boolean
  /** Whether the program may set the person's clipboard. */
  readonly clipboard: boolean
  readonly detachKey: DetachKey
  /** Called again after the hub was lost. A new hub may listen at another address. */
  attach(): Attachment
}

export interface DetachKey {
  readonly character: string
  readonly name: string
}

export type Ending = 'detached' | 'ended'

export async function attachSession(options: AttachOptions): Promise<Ending> {
  const { name, viewer, isReadOnly, detachKey } = options
  /** `undefined` while the hub is lost. */
  let attachment: Attachment | undefined = options.attach()
  // Every refusal comes before the terminal is touched.
  if (!isReadOnly) await claimOrRefuse(attachment, options)
  const { createScreen } = await import('../../terminal/terminal.ts')
  /** The writer, if it is another viewer. */
  let other: string | undefined
  let shownNotice: string | undefined
  const redraw = createLatch()

  const { promise: left, resolve: leave } = Promise.withResolvers<Ending>()
  const input = createInputSender({ detachKey: detachKey.character, send: type, onDetach: () => leave('detached') })
  using terminal = openRawTerminal('attach', {
    onInput: (bytes) => input.send(bytes),
    onResize: () => void sendSize().then(() => redraw.set()),
    onHangUp: () => leave('detached'),
  })
  const view = createView(terminal, { clipboard: options.clipboard, createScreen })

  async function type(text: string): Promise<void> {
    if (!attachment) return
    if (isReadOnly) return showNoticeBriefly(`You are watching ${name}. ${detachKey.name} detaches.`)
    try {
      if (other === undefined) return await attachment.type(text)
      // The notice on the screen names the writer and says how to take over.
      if (!text.endsWith('\r')) return
      await attachment.claim({ takeOver: true })
      other = undefined
      await sendSize()
    } catch (error) {
      input.discard()
      showRefusal(error)
    }
  }

  function showNotice(notice: string | undefined): void {
    shownNotice = notice
    view.setNotice(notice)
  }

  /** Removes the notice after a few seconds, unless another one has replaced it. */
  function showNoticeBriefly(notice: string): void {
    showNotice(notice)
    setTimeout(() => {
      if (shownNotice !== notice) return
      showNotice(undefined)
      redraw.set()
    }, noticeMs).unref()
  }

  /** Ignores a lost hub: `followOutput` notices that as well, and handles it. */
  function showRefusal(error: unknown): void {
    if (error instanceof CliError && error.exit === 'tool-error') showNoticeBriefly(error.message)
  }

  /** The session takes the size of the writer's window. */
  async function sendSize(): Promise<void> {
    if (!isReadOnly && other === undefined) await attachment?.resize(terminal.size).catch(showRefusal)
  }

  const followOptions: FollowOptions = {
    view,
    redraw,
    onWriter(writer) {
      other = writer === viewer ? undefined : writer
      const isLockedOut = other !== undefined && !isReadOnly
      showNotice(isLockedOut ? `${other} is typing now. Enter takes over, ${detachKey.name} detaches.` : undefined)
    },
  }

  /** Reconnects after each loss of the hub. */
  async function show(): Promise<'ended'> {
    for (;;) {
      try {
        using current = (attachment ??= await reattach())
        showNotice(undefined)
        await sendSize()
        await followOutput(current, followOptions)
        return 'ended'
      } catch (error) {
        attachment = undefined
        if (!isHubLost(error)) throw error
        showNotice(`The hub does not answer. Waiting for it. ${detachKey.name} detaches.`)
        await delay(retryMs)
      }
    }
  }

  /** Claims the keyboard again, since a restarted hub does not know the writer. Rejects while no hub answers. */
  async function reattach(): Promise<Attachment> {
    const next = options.attach()
    await (isReadOnly ? next.readSnapshot() : next.claim({ takeOver: false }))
    return next
  }

  return await Promise.race([left, show()])
}

const retryMs = 500
const noticeMs = 3_000

async function claimOrRefuse(attachment: Attachment, { name, takeOver }: AttachOptions): Promise<void> {
  const { granted, writer } = await attachment.claim({ takeOver })
  if (granted) return
  throw new CliError(
    'failed',
    `"${writer}" is typing in ${name}. Attach with --take-over to type instead, or with --read-only to watch.`,
  )
}

/** A lost hub may come back, so retry. A refusal would be repeated, so do not. */
function isHubLost(error: unknown): boolean {
  return error instanceof CliError && (error.exit === 'unreachable' || error.exit === 'failed')
}

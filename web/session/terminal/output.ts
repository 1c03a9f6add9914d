/**
 * Follows the output of a session: draws its screen, then sends one long poll after another, each from the offset where
 * the last one ended. Losing the hub loses no byte, since the next poll starts at the same offset.
 */
import type { TerminalSize } from '../../../src/api/session.ts'
import { createBackoff } from '../../hub/backoff.ts'
import { isLost } from '../../hub/failure.ts'
import type { CallTool } from '../../hub/hub.ts'
import { whenVisible } from '../../hub/tab-visibility.ts'
import type { View } from './view.ts'

const pollMs = 25_000
const maxBytes = 256 * 1024
/** A slice ends with a complete character, so it may be shorter than `maxBytes`. */
const fullSlice = maxBytes - 8

/** In every answer. */
export interface OutputNews {
  readonly size: TerminalSize
  readonly writer?: string
  readonly ended?: boolean
}

export interface FollowOptions {
  readonly call: CallTool
  readonly session: string
  readonly viewer: string
  readonly signal: AbortSignal
  readonly view: Pick<View, 'draw' | 'print'>
  onNews(news: OutputNews): void
}

interface Snapshot extends OutputNews {
  readonly snapshot: string
  readonly offset: number
}

interface Slice extends OutputNews {
  readonly data: string
  readonly encoding: 'utf8' | 'base64'
  readonly next_offset: number
  readonly dropped?: number
}

/** Resolves when the session has ended and all of its output is shown. Throws every error except the loss of the hub. */
export async function followOutput({ call, session, viewer, signal, view, onNews }: FollowOptions): Promise<void> {
  const backoff = createBackoff()
  let offset: number | undefined
  let size: TerminalSize | undefined
  let isBack = true

  async function attach(visible: AbortSignal): Promise<void> {
    const answer = await call<Snapshot>('read_output', { session, viewer, snapshot: true }, visible)
    await view.draw(answer.snapshot, answer.size)
    ;({ offset, size } = answer)
    onNews(answer)
  }

  async function readOn(visible: AbortSignal, since: number): Promise<boolean> {
    // After a reconnect it does not wait, since any answer is news.
    const timeout = isBack ? 0 : pollMs
    const args = { session, viewer, since, timeout_ms: timeout, max_bytes: maxBytes }
    const { data, encoding, ...news } = await call<Slice>('read_output', args, visible)
    const isFarBehind = isBack && news.next_offset - since >= fullSlice
    const isResized = news.size.cols !== size?.cols || news.size.rows !== size.rows
    isBack = false
    if (news.dropped || isFarBehind || isResized) {
      offset = undefined
      return false
    }
    await view.print(bytesOf(data, encoding))
    offset = news.next_offset
    onNews(news)
    return news.ended === true && news.next_offset === since
  }

  for (;;) {
    const visible = await whenVisible(signal)
    if (signal.aborted) return
    try {
      if (offset === undefined) await attach(visible)
      else if (await readOn(visible, offset)) return
      backoff.reset()
    } catch (error) {
      isBack = true
      if (visible.aborted) continue
      if (!isLost(error)) throw error
      await backoff.wait(signal)
    }
  }
}

const encoder = new TextEncoder()

export function bytesOf(data: string, encoding: 'utf8' | 'base64'): Uint8Array {
  if (encoding === 'utf8') return encoder.encode(data)
  return Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
}

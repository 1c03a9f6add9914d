/** What the person sees who answers approvals at the keyboard: one call, whole, and the keys that answer it. */
import type { Approval } from '../api/approval.ts'
import type { TerminalSize } from '../api/session.ts'
import type { GrantDraft } from './approval-answer.ts'
import { renderApproval, renderGrant } from './approval-card.ts'
import { shownText } from './shown-text.ts'
import { clipToWidth, cutToWidth, widthOf } from './text-width.ts'

/** What is on the desk. */
export type Desk =
  | { readonly is: 'empty' }
  /** It is large, and nobody has read it whole yet. */
  | { readonly is: 'reading'; readonly approval: Approval }
  | { readonly is: 'card'; readonly approval: Approval }
  | { readonly is: 'reason'; readonly approval: Approval; readonly decision: 'deny' | 'abort'; readonly text: string }
  | {
      readonly is: 'grant'
      readonly approval: Approval
      readonly scope: 'session' | 'rule'
      readonly grant: GrantDraft
    }
  /** Somebody else was faster. A key that was meant for it must not answer the next. */
  | { readonly is: 'gone'; readonly approval: Approval }

export interface Picture {
  readonly desk: Desk
  readonly waiting: number
  /** What happened last. */
  readonly notice: string
  /** How many lines have been scrolled off the top. */
  readonly scrolled: number
}

export interface Drawn {
  readonly text: string
  /** How far it can be scrolled. */
  readonly mostScrolled: number
}

export function drawDesk({ desk, waiting, notice, scrolled }: Picture, { cols, rows }: TerminalSize, now: Date): Drawn {
  const body = bodyOf(desk, now).flatMap((line) => wrapTo(line, cols))
  const foot = [shownText(notice), footOf(desk)].flatMap((line) => wrapTo(line, cols))
  const room = Math.max(1, rows - foot.length - 2)
  const mostScrolled = Math.max(0, body.length - room)
  const from = Math.min(scrolled, mostScrolled)
  const shown = body.slice(from, from + room)
  const below = body.length - from - room
  const title = ` signalbox approvals · ${waiting === 0 ? 'nobody waits' : `${waiting} waiting`}`
  const more = below > 0 ? ` ↓ ${below} more lines ` : ''
  const bar = cutToWidth(title, cols - widthOf(more)).padEnd(cols - widthOf(more)) + more
  const blank = Array.from({ length: Math.max(0, room - shown.length) }, () => '')
  const lines = [`\x1b[7m${bar}\x1b[0m`, '', ...shown, ...blank, ...foot]
  return { text: `\x1b[H${lines.map((line) => `${line}\x1b[K`).join('\r\n')}\x1b[J`, mostScrolled }
}

function bodyOf(desk: Desk, now: Date): readonly string[] {
  switch (desk.is) {
    case 'empty':
      return ['Nobody waits for an answer. This goes on when somebody does.']
    case 'reading':
      return ['The next call has long arguments, which are being read.']
    case 'card':
    case 'reason':
    case 'gone':
      return renderApproval(desk.approval, now)
    case 'grant':
      return ['This would be granted, until it is revoked:', '', ...renderGrant(desk.grant)]
  }
}

function footOf(desk: Desk): string {
  switch (desk.is) {
    case 'empty':
    case 'reading':
      return 'q leaves'
    case 'card':
      return 'a approve  d deny  x abort the turn  s this tool in this session, whatever the arguments  r just this call in all sessions  n next  ↑↓ scroll  q leave'
    case 'reason':
      return `Why ${desk.decision}? (Enter sends it, Esc goes back) ${shownText(desk.text)}▏`
    case 'grant':
      return 'y approve and grant it  n go back'
    case 'gone':
      return 'Somebody else has answered, or nobody waits any more. Space goes on.'
  }
}

function wrapTo(line: string, cols: number): readonly string[] {
  const pieces: string[] = []
  let start = 0
  do {
    // No more is measured than could fit: a line may have millions of characters.
    const ahead = line.slice(start, start + cols * mostUnitsPerColumn)
    const piece = (widthOf(ahead) > cols && clipToWidth(ahead, cols)) || ahead
    pieces.push(piece)
    start += piece.length
  } while (start < line.length)
  return pieces
}

const mostUnitsPerColumn = 8

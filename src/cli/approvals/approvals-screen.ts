/** Draws the screen of `signalbox approvals`: one call in full, and the keys that answer it. */
import type { Approval } from '../../api/approval.ts'
import type { TerminalSize } from '../../api/session.ts'
import type { GrantDraft } from './approval-tools.ts'
import { renderApproval, renderGrant } from './approval-card.ts'
import { printableLine } from '../terminal-output/printable.ts'
import { visibleText } from '../terminal-output/visible-text.ts'
import { clipToWidth, cutToWidth, widthOf } from '../terminal-output/text-width.ts'

export type ScreenState =
  | { readonly is: 'empty' }
  /** Large arguments are still being loaded. */
  | { readonly is: 'reading'; readonly approval: Approval }
  | { readonly is: 'card'; readonly approval: Approval }
  | { readonly is: 'reason'; readonly approval: Approval; readonly decision: 'deny' | 'abort'; readonly text: string }
  | {
      readonly is: 'grant'
      readonly approval: Approval
      readonly scope: 'session' | 'rule'
      readonly grant: GrantDraft
    }
  /** The shown call needs no answer any more. A key that was meant for it must not answer the next one. */
  | { readonly is: 'closed'; readonly approval: Approval }

export interface ScreenContent {
  readonly state: ScreenState
  readonly waiting: number
  /** The result of the last action. */
  readonly notice: string
  /** The number of lines above the visible part. */
  readonly scrolled: number
}

export interface DrawnScreen {
  readonly text: string
  /** The largest useful value of `scrolled`. */
  readonly maxScrolled: number
}

export function drawScreen(
  { state, waiting, notice, scrolled }: ScreenContent,
  { cols, rows }: TerminalSize,
  now: Date,
): DrawnScreen {
  const body = bodyOf(state, now).flatMap((line) => wrapTo(line, cols))
  const foot = [visibleText(notice), footOf(state)].flatMap((line) => wrapTo(line, cols))
  const bodyRows = Math.max(1, rows - foot.length - 2)
  const maxScrolled = Math.max(0, body.length - bodyRows)
  const from = Math.min(scrolled, maxScrolled)
  const shown = body.slice(from, from + bodyRows)
  const below = body.length - from - bodyRows
  const title = ` signalbox approvals · ${waiting === 0 ? 'none waiting' : `${waiting} waiting`}`
  const more = below > 0 ? ` ↓ ${below} more lines ` : ''
  const bar = cutToWidth(title, cols - widthOf(more)).padEnd(cols - widthOf(more)) + more
  const blank = Array.from({ length: Math.max(0, bodyRows - shown.length) }, () => '')
  const lines = [`\x1b[7m${bar}\x1b[0m`, '', ...[...shown, ...blank, ...foot].map(printableLine)]
  return { text: `\x1b[H${lines.map((line) => `${line}\x1b[K`).join('\r\n')}\x1b[J`, maxScrolled }
}

function bodyOf(state: ScreenState, now: Date): readonly string[] {
  switch (state.is) {
    case 'empty':
      return ['No call waits for an answer. The next one appears here.']
    case 'reading':
      return ['Loading the arguments of the next call …']
    case 'card':
    case 'reason':
    case 'closed':
      return renderApproval(state.approval, now)
    case 'grant':
      return ['This creates a grant, until you revoke it:', '', ...renderGrant(state.grant)]
  }
}

function footOf(state: ScreenState): string {
  switch (state.is) {
    case 'empty':
    case 'reading':
      return 'q quit'
    case 'card':
      return 'a approve  d deny  x abort the turn  s approve this tool for the session, with any arguments  r approve this exact call in all sessions  n next  ↑↓ scroll  q quit'
    case 'reason':
      return `Reason to ${state.decision}? (Enter sends, Esc cancels) ${visibleText(state.text)}▏`
    case 'grant':
      return 'y approve and create the grant  n cancel'
    case 'closed':
      return 'This call needs no answer any more. Space shows the next one.'
  }
}

function wrapTo(line: string, cols: number): readonly string[] {
  const pieces: string[] = []
  let start = 0
  do {
    // Measures only as much as could fit: a line may have millions of characters.
    const ahead = line.slice(start, start + cols * maxUnitsPerColumn)
    const piece = (widthOf(ahead) > cols && clipToWidth(ahead, cols)) || ahead
    pieces.push(piece)
    start += piece.length
  } while (start < line.length)
  return pieces
}

const maxUnitsPerColumn = 8

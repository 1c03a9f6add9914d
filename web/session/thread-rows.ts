/** The rows of a thread on the page. Past turns are one line, then a line each, then all of them. */
import { counted } from '../parts/amounts.ts'
import { type ThreadItem, type Turn, toTurns } from './thread-items.ts'

export type ThreadRow =
  /** All past turns. */
  | { readonly is: 'past'; readonly key: string; readonly turns: readonly Turn[] }
  | { readonly is: 'turn'; readonly key: string; readonly turn: Turn; readonly number: number }
  | { readonly is: 'item'; readonly key: string; readonly item: ThreadItem }

export interface Unfolded {
  /** Past turns have a line each. */
  readonly past: boolean
  /** The keys of the past turns that are shown in full. */
  readonly turns: ReadonlySet<string>
}

export const folded: Unfolded = { past: false, turns: new Set() }

export function toRows(items: readonly ThreadItem[], unfolded: Unfolded): readonly ThreadRow[] {
  const turns = toTurns(items)
  const past = turns.slice(0, -1)
  const rows: ThreadRow[] = past.length === 0 ? [] : [{ is: 'past', key: 'past', turns: past }]
  if (unfolded.past) {
    for (const [index, turn] of past.entries()) {
      rows.push({ is: 'turn', key: `turn:${turn.key}`, turn, number: index + 1 })
      if (unfolded.turns.has(turn.key)) rows.push(...turn.items.filter(isShown).map(toRow))
    }
  }
  const last = turns.at(-1)
  return last ? [...rows, ...last.items.filter(isShown).map(toRow)] : rows
}

/** A turn that ended well needs no words. */
function isShown(item: ThreadItem): boolean {
  return item.is !== 'end' || item.status !== 'completed'
}

function toRow(item: ThreadItem): ThreadRow {
  return { is: 'item', key: `${item.is}:${item.key}`, item }
}

/** `31 min, 48 calls, 1 failed` */
export function aboutTurns(turns: readonly Turn[]): string {
  const items = turns.flatMap((turn) => turn.items)
  const calls = items.filter((item) => item.is === 'call')
  const failed = calls.filter(({ outcome }) => outcome.is === 'error').length
  const made = counted(calls.length, 'call')
  return failed === 0 ? made : `${made}, ${failed} failed`
}

export function promptOf({ items }: Turn): string {
  const prompt = items.find((item) => item.is === 'prompt')
  return prompt?.is === 'prompt' ? prompt.text : ''
}

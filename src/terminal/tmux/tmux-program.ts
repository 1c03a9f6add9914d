/** What a holder is told of a program that lives in tmux. */
import type { Size } from '../holder/frames.ts'
import type { TmuxAccess } from './access.ts'

/** A program in a new session of that name. */
export interface TmuxSessionSpec extends Size {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly tmux: TmuxAccess & { readonly session: string }
}

/** What runs in a pane already. */
export interface TmuxPaneSpec extends Size {
  readonly tmux: TmuxAccess & { readonly pane: string }
}

/** The task of a holder for a program in tmux. */
import type { Size } from '../pty/size.ts'
import type { TmuxAccess } from './access.ts'

/** Starts a program in a new session of that name. */
export interface TmuxSessionSpec extends Size {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly tmux: TmuxAccess & { readonly session: string }
}

/** Takes over a program that already runs in a pane. */
export interface TmuxPaneSpec extends Size {
  readonly tmux: TmuxAccess & { readonly pane: string }
}

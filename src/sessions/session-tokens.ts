import type { SessionRecord } from './session-store.ts'

/** The part of the tokens that sessions need. */
export interface SessionTokens {
  issue(session: SessionRecord): Promise<{ readonly id: string; readonly text: string }>
  revoke(id: string): Promise<unknown>
}

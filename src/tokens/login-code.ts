/** Login codes as the hub and their own tool use them. */
import type { Feature } from '../feature/feature.ts'
import type { TokenRow } from './token-store.ts'

export interface LoginCodes extends Feature {
  /** `by` is the id of the token of the person who asks. */
  create(by: string): Promise<{ readonly code: string; readonly expiresAt: string }>
  /** `undefined`: the code is unknown, used or expired, or the token that made it has ended. */
  exchange(code: string): Promise<(TokenRow & { readonly text: string }) | undefined>
}

/**
 * The address of the first page, or of the page of a session, as another device reaches it. Throws if there is no such
 * session, or if no other device can reach the hub.
 */
export type FindPageAddress = (session: string | undefined) => Promise<string>

/** Tokens as the hub and their own tools use them. */
import type { PruneSource } from '../api/prune.ts'
import type { Principal, Role } from '../base/principal.ts'
import type { Feature } from '../feature/feature.ts'
import type { TokenPlace, TokenRow } from './token-store.ts'

export interface Tokens extends Feature {
  issue(spec: TokenSpec): Promise<TokenRow & { readonly text: string }>
  /** In the order of creation, starting after `after`. */
  list(after: TokenPlace | undefined, limit: number): Promise<readonly TokenRow[]>
  /** Takes effect at once. Throws if it could not be stored yet, for example on a full disk. */
  revoke(id: string): Promise<{ readonly id: string; readonly revokedAt: string }>
  authenticate(text: string): Promise<Principal | undefined>
  principalOf(id: string): Promise<Principal | undefined>
  /** Ends tokens that expired or that another hub revoked, and stores revocations that could not be stored before. */
  endExpired(): Promise<void>
  saveLastUsed(): Promise<void>
  /** The revoked tokens. */
  readonly prunable: PruneSource
}

export interface TokenSpec {
  readonly role: Role
  readonly session?: string | undefined
  readonly label?: string | undefined
  readonly expiresInMs?: number | undefined
  readonly toolsets?: readonly string[] | undefined
}

/** Tokens, in words. */
import { duration } from '../parts/time.ts'

export interface Token {
  readonly id: string
  readonly role: 'human' | 'agent'
  readonly session?: string
  readonly label?: string
  readonly toolsets?: readonly string[]
  readonly created_at: string
  readonly expires_at?: string
  readonly revoked_at?: string
  readonly last_used_at?: string
}

export function isValid({ revoked_at: revoked, expires_at: expires }: Token, now: number): boolean {
  return revoked === undefined && (expires === undefined || Date.parse(expires) > now)
}

export function lastUsedWords({ last_used_at: at }: Token, now: number): string {
  if (at === undefined) return 'never'
  const ms = now - Date.parse(at)
  return ms < 60_000 ? 'just now' : `${duration(ms, { seconds: false })} ago`
}

export function expiryWords({ expires_at: at, role }: Pick<Token, 'expires_at' | 'role'>): string {
  if (at === undefined) return role === 'agent' ? 'with the session' : 'never'
  return new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })
}

/** The text of a token contains its id: `sb_human_<id>_<secret>`. */
export function tokenIdIn(text: string): string | undefined {
  return /^sb_[a-z]+_([a-z0-9]+)_/.exec(text)?.[1]
}

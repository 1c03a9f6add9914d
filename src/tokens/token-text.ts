/** A token's text: `sb_<role>_<id>_<secret>`. The id finds the row, the secret proves it. Only its hash is stored. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Role } from '../base/principal.ts'

const pattern = /^sb_(human|agent)_([a-z0-9]{12})_([A-Za-z0-9_-]{43})$/

export interface TokenParts {
  readonly role: Role
  readonly id: string
  readonly secret: string
}

export function createTokenText(role: Role): TokenParts & { readonly text: string } {
  const id = randomBytes(6).toString('hex')
  const secret = randomBytes(32).toString('base64url')
  return { role, id, secret, text: `sb_${role}_${id}_${secret}` }
}

export function parseTokenText(text: string): TokenParts | undefined {
  const [, role, id, secret] = pattern.exec(text) ?? []
  return secret === undefined ? undefined : { role: role as Role, id: id!, secret }
}

export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

export function isSecretOf(secret: string, storedHash: string): boolean {
  return timingSafeEqual(hash('sha256', secret, 'buffer'), Buffer.from(storedHash, 'hex'))
}

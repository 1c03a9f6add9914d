/** A login code's text: `sb_login_<128 random bits>`. It is short, because a QR code of a short text is small. */
import { hash, randomBytes } from 'node:crypto'

const pattern = /^sb_login_[A-Za-z0-9_-]{22}$/

export function createLoginCodeText(): string {
  return `sb_login_${randomBytes(16).toString('base64url')}`
}

export function isLoginCodeText(text: string): boolean {
  return pattern.test(text)
}

export function hashLoginCode(code: string): string {
  return hash('sha256', code, 'hex')
}

/** Credentials that can be recognised by their shape alone. */
import type { TextRange } from '../../base/text-ranges.ts'

const shapes: readonly RegExp[] = [
  /\bsk-(?:[A-Za-z]+-)*[A-Za-z0-9_-]{16,}/g, // OpenAI, Anthropic and many others
  /\b[rs]k_(?:live|test)_[A-Za-z0-9]{10,}/g, // Stripe
  /\bgh[pousr]_[A-Za-z0-9]{20,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bglpat-[\w-]{16,}/g,
  /\bxox[abeoprs]-[\w-]{10,}/g,
  /\bxapp-[\w-]{10,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\bya29\.[\w-]{20,}/g,
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\bpypi-[\w-]{20,}/g,
  /\bhf_[A-Za-z0-9]{20,}/g,
  /\bSG\.[\w-]{16,}\.[\w-]{16,}/g,
  /\b(?:lin_api|secret|ntn|figd|shpat|dop_v1|gsk|tvly|pplx)[_-][A-Za-z0-9]{24,}/g,
  /\bsb_(?:human|agent|login)_[\w-]{10,}/g, // our own
  /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, // JSON Web Token
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
]

export function findShapes(text: string): readonly TextRange[] {
  return shapes.flatMap((shape) =>
    [...text.matchAll(shape)].map((match) => ({ start: match.index, end: match.index + match[0].length })),
  )
}

import { createRedactor } from '../../base/redact.ts'
import type { Redactor } from '../../base/redact.ts'
import type { Environment } from '../../config/config.ts'

/** Knows the secrets of the environment. */
export function createRedactorFor({ SIGNALBOX_TOKEN, SIGNALBOX_URL, DATABASE_URL }: Environment): Redactor {
  const redactor = createRedactor()
  for (const secret of [SIGNALBOX_TOKEN, DATABASE_URL]) if (secret) redactor.addSecret(secret)
  // The URL may contain a password. Without one it is not a secret.
  if (SIGNALBOX_URL?.includes('@')) redactor.addSecret(SIGNALBOX_URL)
  return redactor
}

/**
 * For the words of another program, before they become part of a sentence of ours. It also hides what only looks like a
 * secret: "token: …". A whole sentence must not pass through here, because it may say "token" too.
 */
export function redactForeign(text: string): string {
  return createRedactor().text(text)
}

import { createRedactor } from '../../base/redact.ts'
import type { Redactor } from '../../base/redact.ts'
import type { Environment } from '../../config/config.ts'

/** For text that the CLI did not write itself: messages of other programs and unexpected errors. */
export function createRedactorFor({ SIGNALBOX_TOKEN, SIGNALBOX_URL, DATABASE_URL }: Environment): Redactor {
  const redactor = createRedactor()
  for (const secret of [SIGNALBOX_TOKEN, DATABASE_URL]) if (secret) redactor.addSecret(secret)
  // The URL may contain a password. Without one it is not a secret.
  if (SIGNALBOX_URL?.includes('@')) redactor.addSecret(SIGNALBOX_URL)
  return redactor
}

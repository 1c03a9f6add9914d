import { createRedactor } from '../base/redact.ts'
import type { Redactor } from '../base/redact.ts'
import type { Environment } from '../config/config.ts'

/** For what the CLI shows without knowing what is in it: messages of other programs, errors nobody thought of. */
export function createRedactorFor({ SIGNALBOX_TOKEN, DATABASE_URL }: Environment): Redactor {
  const redactor = createRedactor()
  for (const secret of [SIGNALBOX_TOKEN, DATABASE_URL]) if (secret) redactor.addSecret(secret)
  return redactor
}

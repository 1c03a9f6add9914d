/** Finds known secrets in texts before they are stored. Text that only resembles a secret is allowed. */
import type { Redactor } from './redact.ts'

type PersonsRedactor = Pick<Redactor, 'forPerson'>

export function holdsKnownSecret(redactor: PersonsRedactor, text: string): boolean {
  return redactor.forPerson(text).hidden.length > 0
}

export function withoutKnownSecrets(redactor: PersonsRedactor, text: string): string {
  return redactor.forPerson(text).value as string
}

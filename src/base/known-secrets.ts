/** Texts that are to be kept, looked through for what is certainly a secret: what merely looks like one may stand there. */
import type { Redactor } from './redact.ts'

type PersonsRedactor = Pick<Redactor, 'forPerson'>

export function holdsKnownSecret(redactor: PersonsRedactor, text: string): boolean {
  return redactor.forPerson(text).hidden.length > 0
}

export function withoutKnownSecrets(redactor: PersonsRedactor, text: string): string {
  return redactor.forPerson(text).value as string
}

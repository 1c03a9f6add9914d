/** The worker that measures and parses the large messages of upstreams. */
import { inexactNumber, isRawNumber, parseExactly } from '../base/exact-numbers.ts'
import { HubError } from '../base/hub-error.ts'
import { isRecord } from '../base/is-record.ts'
import { whyTooHeavy } from '../base/json-weight.ts'
import { answerEach } from '../base/worker-answers.ts'
import { longestUnasked, mostValues, tooHeavy, tooLongUnasked } from './message-limits.ts'
import type { ParsedLarge, RawNumberPlace } from './parse-large.ts'

answerEach(({ buffer, byteOffset, byteLength }: Uint8Array): ParsedLarge => {
  const bytes = Buffer.from(buffer, byteOffset, byteLength)
  const why = whyTooHeavy(bytes, mostValues)
  if (why !== undefined) throw new HubError('too-large', tooHeavy(why))
  const text = bytes.toString('utf8')
  const isExact = inexactNumber(text) === undefined
  const value: unknown = isExact ? JSON.parse(text) : parseExactly(text)
  if (byteLength > longestUnasked && [value].flat().some(isUnasked)) throw new HubError('too-large', tooLongUnasked)
  return { value, rawNumbers: isExact ? [] : takeRawNumbers(value) }
})

function isUnasked(message: unknown): boolean {
  return isRecord(message) && 'method' in message
}

/** Raw numbers cannot be sent to another thread. Null takes their place until they are there. */
function takeRawNumbers(inside: unknown): readonly RawNumberPlace[] {
  if (typeof inside !== 'object' || inside === null) return []
  return Object.entries(inside).flatMap(([key, value]): readonly RawNumberPlace[] => {
    if (!isRawNumber(value)) return takeRawNumbers(value)
    setOwn(inside, key, null)
    return [{ holder: inside, key, source: value.rawJSON }]
  })
}

/** Also for the key `__proto__`. */
function setOwn(holder: object, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true })
}

/** The worker that measures and parses the large messages of upstreams. */
import { inexactNumber, isRawNumber, parseExactly } from '../base/exact-numbers.ts'
import { HubError } from '../base/hub-error.ts'
import { isRecord } from '../base/is-record.ts'
import { deepestNesting, hasMoreValues, isNestedDeeper } from '../base/json-nesting.ts'
import { answerEach } from '../base/worker-answers.ts'
import { longestUnasked, mostValues, tooDeep, tooLongUnasked, tooManyValues } from './message-limits.ts'
import type { ParsedLarge, RawNumberPlace } from './parse-large.ts'

answerEach(({ buffer, byteOffset, byteLength }: Uint8Array): ParsedLarge => {
  const text = Buffer.from(buffer, byteOffset, byteLength).toString('utf8')
  if (hasMoreValues(text, mostValues)) throw new HubError('too-large', tooManyValues)
  if (isNestedDeeper(text, deepestNesting)) throw new HubError('too-large', tooDeep)
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

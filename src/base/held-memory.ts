/** Estimates the memory that a parsed value holds. Small objects hold far more than their JSON. */
import { isRecord } from './is-record.ts'

/** In bytes, as V8 holds it at least. */
const perValue = 16
const perObject = 56

/** In bytes. Stops as soon as it is more than `most`. */
export function heldBy(value: unknown, most = Number.POSITIVE_INFINITY): number {
  let held = 0
  const left: unknown[] = [value]
  while (left.length > 0 && held <= most) {
    const one = left.pop()
    if (typeof one === 'string') held += perValue + one.length
    else if (Array.isArray(one)) {
      held += perObject
      held += perValue * one.length
      if (held <= most) for (const item of one) left.push(item)
    } else if (isRecord(one)) {
      held += perObject
      for (const name in one) {
        held += perValue + name.length
        left.push(one[name])
      }
    } else held += perValue
  }
  return held
}

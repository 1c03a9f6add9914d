import { isRawNumber } from './exact-numbers.ts'

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)
}

/** The levels of log lines, and filters by level. */
import type { LoggingLevel } from './sdk.ts'

const levels: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]

/** The level for a legacy client that never set one. */
export const defaultLogLevel: LoggingLevel = 'info'

/** Whether a client with the level `from` gets a line of this level. A line without a level goes to every client. */
export function isWanted(level: unknown, from: LoggingLevel | undefined): boolean {
  return from !== undefined && (!isLoggingLevel(level) || severity(level) >= severity(from))
}

/** The lower of two levels, which lets more lines through. */
export function moreVerbose(one: LoggingLevel, other: LoggingLevel): LoggingLevel {
  return severity(one) < severity(other) ? one : other
}

export function severity(level: LoggingLevel): number {
  return levels.indexOf(level)
}

export function isLoggingLevel(value: unknown): value is LoggingLevel {
  return (levels as readonly unknown[]).includes(value)
}

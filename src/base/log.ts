/**
 * The hub's own log: one JSON object per line on stderr. No line leaves without having passed the redactor.
 */
import { pino } from 'pino'
import type { Logger } from 'pino'
import type { Redactor } from './redact.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface Log {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
  /** A log whose every line carries these fields too. */
  child(fields: LogFields): Log
}

/** Whatever was thrown goes under `error`. */
export type LogFields = Readonly<Record<string, unknown>>

export interface LogDestination {
  write(line: string): unknown
}

export function createLog(options: { level: LogLevel; redactor: Redactor; destination?: LogDestination }): Log {
  const { level, redactor, destination = standardError() } = options
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (name) => ({ level: name }) },
      messageKey: 'message',
      hooks: {
        // The last gate: it also sees what a parent log was given before a secret became known.
        streamWrite: (line) => `${redactor.text(line.trimEnd())}\n`,
      },
    },
    { write: (line: string) => void destination.write(line) },
  )
  return wrap(logger, redactor)
}

function wrap(logger: Logger, redactor: Redactor): Log {
  const writer =
    (level: LogLevel) =>
    (fields: LogFields, message: string): void => {
      // Errors, maps and bytes become plain data here; pino would write some of them as empty objects.
      if (logger.isLevelEnabled(level)) logger[level](plain(fields, redactor), message)
    }
  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    child: (fields) => wrap(logger.child(plain(fields, redactor)), redactor),
  }
}

function plain(fields: LogFields, redactor: Redactor): Record<string, unknown> {
  const copy = redactor.value(fields)
  return typeof copy === 'object' && copy !== null ? { ...copy } : { fields: copy }
}

function standardError(): LogDestination {
  // The reader of our stderr may leave before us. That is no reason to end.
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {})
  return process.stderr
}

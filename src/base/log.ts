/**
 * The hub's own log: one JSON object per line on stderr. Every line passes the redactor. No message can fill the log:
 * above a limit its lines are counted instead, and the count is logged.
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
  /** A log that adds these fields to every line. */
  child(fields: LogFields): Log
}

/** A thrown value goes under `error`. */
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
        // The last check also covers fields that a parent log got before a secret became known.
        streamWrite: (line) => `${redactor.text(line.trimEnd())}\n`,
      },
    },
    { write: (line: string) => void destination.write(line) },
  )
  const mayWrite = createLimit((message, count) =>
    logger.warn({ left_out: count, of: message }, 'the log leaves out repeated lines'),
  )
  return wrap(logger, redactor, mayWrite)
}

const maxLines = 50
const windowMs = 10_000

/** Says whether another line with this message may be written. Messages are fixed texts, so there are few of them. */
function createLimit(onLeftOut: (message: string, count: number) => void): (message: string) => boolean {
  const windows = new Map<string, { lines: number }>()

  function open(message: string): { lines: number } {
    const window = { lines: 0 }
    windows.set(message, window)
    const timer = setTimeout(() => {
      windows.delete(message)
      if (window.lines > maxLines) onLeftOut(message, window.lines - maxLines)
    }, windowMs)
    timer.unref()
    return window
  }

  return (message) => {
    const window = windows.get(message) ?? open(message)
    return ++window.lines <= maxLines
  }
}

function wrap(logger: Logger, redactor: Redactor, mayWrite: (message: string) => boolean): Log {
  const writer =
    (level: LogLevel) =>
    (fields: LogFields, message: string): void => {
      if (!logger.isLevelEnabled(level)) return
      // At the debug level, all lines are wanted.
      if (level !== 'debug' && !mayWrite(message)) return
      // Errors, maps and bytes become plain data here; pino would write some of them as empty objects.
      logger[level](plain(fields, redactor), message)
    }
  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    child: (fields) => wrap(logger.child(plain(fields, redactor)), redactor, mayWrite),
  }
}

function plain(fields: LogFields, redactor: Redactor): Record<string, unknown> {
  const copy = redactor.value(fields)
  return typeof copy === 'object' && copy !== null ? { ...copy } : { fields: copy }
}

function standardError(): LogDestination {
  // The reader of our stderr may exit before the hub. That must not end the hub.
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {})
  return process.stderr
}

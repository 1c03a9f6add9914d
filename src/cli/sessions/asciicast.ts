/** Reads terminal recordings of asciinema, versions 2 and 3: a header, then one event per line. */
import { z } from 'zod'
import { CliError } from '../command/cli-error.ts'

export interface Recording {
  readonly size: { readonly cols: number; readonly rows: number }
  readonly events: readonly RecordedEvent[]
}

export interface RecordedEvent {
  /** Time since the previous event. */
  readonly afterMs: number
  readonly is: 'output' | 'resize' | 'other'
  readonly data: string
}

const header = z.union([
  z.looseObject({ version: z.literal(3), term: z.looseObject({ cols: z.number(), rows: z.number() }) }),
  z.looseObject({ version: z.literal(2), width: z.number(), height: z.number() }),
])
const event = z.tuple([z.number().min(0), z.string(), z.coerce.string()])

export function readAsciicast(text: string, file: string): Recording {
  const [first = '', ...lines] = text.split('\n')
  const head = parseLine(header, first, `${file} is not a recording: its first line`)
  const isRelative = head.version === 3
  let before = 0
  const events: RecordedEvent[] = []
  for (const [index, line] of lines.entries()) {
    // Version 3 allows comments.
    if (line.trim() === '' || line.startsWith('#')) continue
    const [time, code, data] = parseLine(event, line, `${file} is damaged: line ${index + 2}`)
    events.push({ afterMs: 1000 * (isRelative ? time : Math.max(0, time - before)), is: kindOf(code), data })
    before = time
  }
  const size = head.version === 3 ? head.term : { cols: head.width, rows: head.height }
  return { size: { cols: size.cols, rows: size.rows }, events }
}

function kindOf(code: string): RecordedEvent['is'] {
  return code === 'o' ? 'output' : code === 'r' ? 'resize' : 'other'
}

function parseLine<Value>(schema: z.ZodType<Value>, line: string, where: string): Value {
  try {
    return schema.parse(JSON.parse(line))
  } catch (error) {
    const why = error instanceof z.ZodError ? 'does not match version 2 or 3 of asciicast' : 'is not JSON'
    throw new CliError('failed', `${where} ${why}. "signalbox export" writes recordings.`, { cause: error })
  }
}

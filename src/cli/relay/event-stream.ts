/** Server-sent events, read only as fast as they are taken. */
import { linesOf } from '../../base/lines.ts'

export interface ServerEvent {
  /** Where to go on after it. */
  readonly id?: string
  /** Empty where it only says its id, or when to come back. */
  readonly data: string
  readonly retryMs?: number
}

export async function* readEvents(source: AsyncIterable<Buffer>): AsyncGenerator<ServerEvent, void> {
  let fields: [name: string, value: string][] = []
  for await (const line of linesOf(source, Infinity)) {
    if (line.length > 0) fields.push(fieldOf(line.toString('utf8')))
    else {
      const event = eventOf(fields)
      fields = []
      if (event) yield event
    }
  }
}

function fieldOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(':')
  if (colon < 0) return [line, '']
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)]
}

/** `undefined` for what only keeps the connection alive. */
function eventOf(fields: readonly (readonly [string, string])[]): ServerEvent | undefined {
  const valuesOf = (wanted: string) => fields.filter(([name]) => name === wanted).map(([, value]) => value)
  const id = valuesOf('id').at(-1)
  const retry = valuesOf('retry').at(-1)
  const data = valuesOf('data')
  if (id === undefined && retry === undefined && data.length === 0) return undefined
  return {
    data: data.join('\n'),
    ...(id !== undefined && { id }),
    ...(retry !== undefined && /^\d+$/.test(retry) && { retryMs: Number(retry) }),
  }
}

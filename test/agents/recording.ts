/** The output of an agent with times and activities: `<agent>.raw` and `<agent>.json` in `test/recordings/agents`. */
import { readFileSync } from 'node:fs'

export interface Recording {
  readonly agent: string
  readonly version: string
  readonly cols: number
  readonly rows: number
  /** Milliseconds since the first output, and the offset at that time. */
  readonly times: readonly (readonly [ms: number, offset: number])[]
  readonly spans: readonly Span[]
}

export interface Span {
  readonly is: 'working' | 'waiting' | 'idle'
  readonly from_ms: number
  readonly to_ms: number
  readonly from_offset: number
  readonly to_offset: number
}

const folder = new URL('../recordings/agents/', import.meta.url)

export function readRecording(agent: string): { readonly recording: Recording; readonly bytes: Buffer } {
  const recording = JSON.parse(readFileSync(new URL(`${agent}.json`, folder), 'utf8')) as Recording
  return { recording, bytes: readFileSync(new URL(`${agent}.raw`, folder)) }
}

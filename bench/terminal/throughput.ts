/** How fast the output of one program reaches a viewer: through the terminal, the journal, the screen and HTTP. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchHub } from './bench-hub.ts'
import { type Output, openClient } from './mcp-client.ts'
import { lengthOf, openPane } from './tmux.ts'

/** Text like that of a build: partly coloured, with lines of all lengths. */
export function writeSample(directory: string, megabytes: number): string {
  const path = join(directory, `sample-${megabytes}`)
  const lines = Array.from({ length: 2_000 }, (_, line) =>
    line % 5 === 0
      ? `\x1b[32mok\x1b[0m ${line} \x1b[1mtest/file-${line}.ts\x1b[0m (${line % 97} tests) ${line % 31} ms\r\n`
      : `-rw-r--r-- 1 root root ${line * 37} Nov 16 02:${line % 60} ${'node_modules/'.repeat(line % 4)}file-${line}.js\r\n`,
  ).join('')
  writeFileSync(path, lines.repeat(Math.ceil((megabytes * 1e6) / lines.length)).slice(0, megabytes * 1e6))
  return path
}

/** Starts when a key is pressed, and stays afterwards, since tmux loses the last output of a program that ends. */
const printCommand = (file: string) => `stty raw -echo; printf ready; head -c 1 > /dev/null; cat '${file}' -`

export interface Flow {
  readonly megabytesPerSecond: number
  /** CPU time of the hub for each megabyte. */
  readonly cpuMsPerMegabyte: number
}

let count = 0

export async function measureFlow(hub: BenchHub, file: string, megabytes: number): Promise<Flow> {
  const session = `flow-${count++}`
  using viewer = openClient(hub)
  const wait = { for: 'text', value: 'ready' }
  await viewer.call('create_session', { name: session, command: printCommand(file), wait })
  const before = await hub.cpuMs()
  const startedAt = performance.now()
  await viewer.call('send_text', { session, text: 'x' })
  for (let since = 0; since < megabytes * 1e6 + 'ready'.length;) {
    since = (await viewer.call<Output>('read_output', { session, since, max_bytes: 1_048_576 })).next_offset
  }
  const seconds = (performance.now() - startedAt) / 1000
  const used = (await hub.cpuMs()) - before
  await viewer.call('kill_session', { name: session, remove: true })
  return { megabytesPerSecond: megabytes / seconds, cpuMsPerMegabyte: used / megabytes }
}

export async function measureTmuxFlow(file: string, megabytes: number): Promise<number> {
  await using pane = await openPane(printCommand(file))
  let seen = 0
  const all = Promise.withResolvers<void>()
  pane.onOutput((escaped) => {
    seen += lengthOf(escaped)
    if (seen >= megabytes * 1e6) all.resolve()
  })
  const startedAt = performance.now()
  pane.type(Buffer.from('x'))
  await all.promise
  return megabytes / ((performance.now() - startedAt) / 1000)
}

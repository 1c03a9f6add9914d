/** Reads a terminal that has printed ten thousand lines: its screen, its scrollback, a search, a screenshot. */
import type { BenchHub } from './bench-hub.ts'
import type { TmuxPane } from './tmux.ts'

export const linesCommand = `awk 'BEGIN { for (i = 1; i <= 10000; i++) printf "\\033[3%dmline %d\\033[0m of ten thousand, with words to look for\\n", i % 8, i }'; printf ready; cat`

const calls = {
  read_screen: {},
  'read_scrollback, 1,000 lines': { count: 1_000 },
  search_scrollback: { pattern: 'line 77\\d\\d .*words' },
  screenshot: {},
} as const
export type Reading = keyof typeof calls
export const readings = Object.keys(calls) as readonly Reading[]

export async function measureReading(
  hub: BenchHub,
  session: string,
  reading: Reading,
  count: number,
): Promise<readonly number[]> {
  const tool = reading.split(',')[0]!
  return timed(count, () => hub.client.call(tool, { session, ...calls[reading] }))
}

/** The nearest tmux command for each. tmux has no screenshots. */
export async function measureTmuxReading(
  pane: TmuxPane,
  reading: Reading,
  count: number,
): Promise<readonly number[] | undefined> {
  switch (reading) {
    case 'read_screen':
      return timed(count, () => pane.ask('capture-pane -p -t bench'))
    case 'read_scrollback, 1,000 lines':
      return timed(count, () => pane.ask('capture-pane -p -t bench -S -1000 -E -1'))
    case 'search_scrollback':
      return timed(count, async () =>
        (await pane.ask('capture-pane -p -t bench -S -')).filter((line) => /line 77\d\d .*words/.test(line)),
      )
    case 'screenshot':
      return undefined
  }
}

async function timed(count: number, run: () => Promise<unknown>): Promise<readonly number[]> {
  await run()
  const times: number[] = []
  for (let done = 0; done < count; done++) {
    const startedAt = performance.now()
    await run()
    times.push(performance.now() - startedAt)
  }
  return times
}

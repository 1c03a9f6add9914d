/** Measures on recordings of the real agents how often the activity rules are right. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readRecording } from '../../../../test/agents/recording.ts'
import { createScreen } from '../../../terminal/terminal.ts'
import type { ActivityRules } from './activity-rules.ts'
import { loadActivityRules } from './activity-rules.ts'
import { classifyScreen } from './classify-screen.ts'

const shipped = fileURLToPath(new URL('../../../../activity/', import.meta.url))
const baselineFile = new URL('../../../../test/recordings/agents/accuracy.json', import.meta.url)
const baseline = JSON.parse(readFileSync(baselineFile, 'utf8')) as Readonly<Record<string, number>>

/** The screen is classified this often, also without new output: the time for which the answer is right counts. */
const stepMs = 50

interface Step {
  readonly at: number
  readonly is: string
  readonly classified: string
  readonly screen: string
}

async function replay(agent: string, rules: ActivityRules): Promise<readonly Step[]> {
  const { recording, bytes } = readRecording(agent)
  const { cols, rows, times, spans } = recording
  using screen = createScreen({ size: { cols, rows }, scrollbackLines: 100, onAnswer: () => {} })
  const steps: Step[] = []
  let fed = 0
  for (const { is, from_ms, to_ms } of spans) {
    for (let at = from_ms; at < to_ms; at += stepMs) {
      const reached = times.findLast(([ms]) => ms <= at)?.[1] ?? 0
      await screen.feed(bytes.subarray(fed, Math.max(fed, reached)))
      fed = Math.max(fed, reached)
      const lines = screen.rows().map((row) => row.text)
      const { title } = screen
      const reading = classifyScreen(rules, {
        title,
        shell: undefined,
        isSettled: true,
        lineCount: rows,
        line: (index) => lines[index]!,
      })
      const classified = reading
        ? `${reading.is}${reading.reason === undefined ? '' : `: ${reading.reason}`}`
        : 'nothing'
      steps.push({ at, is, classified, screen: [`title: ${title}`, ...lines].join('\n') })
    }
  }
  return steps
}

test.each(Object.keys(baseline))(
  'the rules for %s are right at least as often as the recorded baseline',
  async (agent) => {
    const steps = await replay(agent, await loadActivityRules([shipped], agent))
    const wrong = steps.filter(({ is, classified }) => !classified.startsWith(is))
    const accuracy = 1 - wrong.length / steps.length
    const [first] = wrong
    console.log(
      `activity of ${agent}: right ${(accuracy * 100).toFixed(1)} % of the time (${steps.length} readings)`,
      ...(first ? [`\nat ${first.at} ms it was ${first.is}, classified as ${first.classified}:\n${first.screen}`] : []),
    )
    expect(accuracy).toBeGreaterThanOrEqual(baseline[agent]!)
  },
)

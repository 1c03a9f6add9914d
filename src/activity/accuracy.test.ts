/** How often the rules are right, measured on recordings of the real agents. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readRecording } from '../../test/agents/recording.ts'
import { createScreen } from '../terminal/terminal.ts'
import type { ActivityRules } from './activity-rules.ts'
import { loadActivityRules } from './activity-rules.ts'
import { judge } from './judge.ts'

const shipped = fileURLToPath(new URL('../../activity/', import.meta.url))
const baselineFile = new URL('../../test/recordings/agents/accuracy.json', import.meta.url)
const baseline = JSON.parse(readFileSync(baselineFile, 'utf8')) as Readonly<Record<string, number>>

/** Screens are judged so often, also while nothing is printed: what matters is for how long a person is told right. */
const stepMs = 50

interface Step {
  readonly at: number
  readonly is: string
  readonly judged: string
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
      const verdict = judge(rules, { title, shell: undefined, lineCount: rows, line: (index) => lines[index]! })
      const judged = verdict ? `${verdict.is}${verdict.reason === undefined ? '' : `: ${verdict.reason}`}` : 'nothing'
      steps.push({ at, is, judged, screen: [`title: ${title}`, ...lines].join('\n') })
    }
  }
  return steps
}

test.each(Object.keys(baseline))('the rules for %s are right as often as they were', async (agent) => {
  const steps = await replay(agent, await loadActivityRules([shipped], agent))
  const wrong = steps.filter(({ is, judged }) => !judged.startsWith(is))
  const accuracy = 1 - wrong.length / steps.length
  const [first] = wrong
  console.log(
    `activity of ${agent}: right ${(accuracy * 100).toFixed(1)} % of the time (${steps.length} looks)`,
    ...(first ? [`\nat ${first.at} ms it was ${first.is}, judged ${first.judged}:\n${first.screen}`] : []),
  )
  expect(accuracy).toBeGreaterThanOrEqual(baseline[agent]!)
})

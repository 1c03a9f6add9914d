/**
 * What one tool call costs: raw `node:http`, the SDK's own server and the hub as shipped, in both eras, in one run.
 *
 *   npm run bench:protocol -- [--rounds 5] [--calls 2000] [--write-readme]
 */
import { parseArgs } from 'node:util'
import { startContenders } from './protocol/contenders.ts'
import { measure } from './protocol/measure.ts'
import { resultsTable, type Row } from './protocol/results-table.ts'
import { writeIntoReadme } from './write-readme.ts'

const lineCounts = [1, 16, 64]

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    calls: { type: 'string', default: '2000' },
    'write-readme': { type: 'boolean', default: false },
  },
})
const rounds = wholeNumber('rounds', values.rounds)
const calls = wholeNumber('calls', values.calls)

const table = resultsTable(await run(), { rounds, calls })
console.log(table)
if (values['write-readme']) await writeIntoReadme('bench:protocol', table)

async function run(): Promise<readonly Row[]> {
  await using contenders = await startContenders(Math.max(...lineCounts))
  const rows = lineCounts.flatMap((lineCount) =>
    contenders.all.map((contender) => ({ contender, lineCount, rounds: [] as Row['rounds'][number][] })),
  )
  for (const { contender, lineCount } of rows) await measure(contender, lineCount, calls) // warms up both ends
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`round ${round} of ${rounds}\n`)
    for (const row of rows) row.rounds.push(await measure(row.contender, row.lineCount, calls))
  }
  return rows
}

function wholeNumber(option: string, value: string): number {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 1) {
    throw new Error(`--${option} takes a whole number from 1, not "${value}".`)
  }
  return number
}

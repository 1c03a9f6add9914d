/**
 * The cost of one tool call: raw `node:http`, the SDK's own server and the hub as shipped, in both eras, in one run.
 *
 *   npm run bench:protocol -- [--rounds 5] [--calls 2000] [--write-docs]
 */
import { parseArgs } from 'node:util'
import { startContenders } from './protocol/contenders.ts'
import { measure } from './protocol/measure.ts'
import { resultsTable, type Row } from './protocol/results-table.ts'
import { writeIntoDocs } from './write-benchmarks.ts'

const connectionCounts = [1, 16, 64]

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    calls: { type: 'string', default: '2000' },
    'write-docs': { type: 'boolean', default: false },
  },
})
const rounds = wholeNumber('rounds', values.rounds)
const calls = wholeNumber('calls', values.calls)

const table = resultsTable(await run(), { rounds, calls })
console.log(table)
if (values['write-docs']) await writeIntoDocs('bench:protocol', table)

async function run(): Promise<readonly Row[]> {
  await using contenders = await startContenders(Math.max(...connectionCounts))
  const rows = connectionCounts.flatMap((connectionCount) =>
    contenders.all.map((contender) => ({ contender, connectionCount, rounds: [] as Row['rounds'][number][] })),
  )
  for (const { contender, connectionCount } of rows) await measure(contender, connectionCount, calls) // warm-up
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`round ${round} of ${rounds}\n`)
    for (const row of rows) row.rounds.push(await measure(row.contender, row.connectionCount, calls))
  }
  return rows
}

function wholeNumber(option: string, value: string): number {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 1) {
    throw new Error(`--${option} must be a whole number of at least 1, not "${value}".`)
  }
  return number
}

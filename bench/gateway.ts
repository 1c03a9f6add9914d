/**
 * The cost of a gateway: the same upstream directly, through Signalbox as shipped, and through gateways from npm.
 *
 *   npm run bench:gateway -- [--rounds 5] [--seconds 2] [--write-docs]
 */
import { parseArgs } from 'node:util'
import { startContenders } from './gateway/contenders.ts'
import { type Figures, measure, warmUp } from './gateway/measure.ts'
import { load, resultsTable } from './gateway/results-table.ts'
import { writeIntoDocs } from './write-benchmarks.ts'

const connectionCounts = [1, 16, 64]

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    'write-docs': { type: 'boolean', default: false },
  },
})
const rounds = positive('rounds', values.rounds)
const seconds = positive('seconds', values.seconds)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const loadBefore = load()
await using contenders = await startContenders()
const rows = connectionCounts.flatMap((connectionCount) =>
  contenders.all.map((contender) => ({ contender, connectionCount, rounds: [] as Figures[] })),
)
for (const contender of contenders.all) await warmUp(contender)
for (let round = 1; round <= rounds; round++) {
  process.stderr.write(`round ${round} of ${rounds}\n`)
  for (const row of rows) row.rounds.push(await measure(row.contender, row.connectionCount, seconds))
}
const table = resultsTable(rows, contenders, { rounds, seconds, loadBefore })
console.log(table)
if (values['write-docs']) await writeIntoDocs('bench:gateway', table)

function positive(option: string, value: string): number {
  const number = Number(value)
  if (!(number > 0)) throw new Error(`--${option} must be a number greater than 0, not "${value}".`)
  return number
}

/**
 * The cost of the hub in a turn of a real agent: the same turn by the agent alone and in a session. And the time of the
 * gate's answer to a hook. The model is scripted.
 *
 *   npm run bench:agents -- [--rounds 5] [--hooks 500] [--write-docs]
 */
import { parseArgs } from 'node:util'
import { type AgentHub, startAgentHub } from '../test/agents/agent-hub.ts'
import { agents } from '../test/agents/agents.ts'
import { openBuiltIn } from './agents/built-in.ts'
import { contenders } from './agents/contenders.ts'
import { measureHookAnswers } from './agents/hook-answers.ts'
import { resultsTable } from './agents/results-table.ts'
import { type Figures, runAlone, runInSession, upstreamCommand } from './agents/turn.ts'
import { writeIntoDocs } from './write-benchmarks.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    hooks: { type: 'string', default: '500' },
    'write-docs': { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)

await using stack = new AsyncDisposableStack()
const rows = []
for (const contender of contenders) {
  const hub = stack.use(await startAgentHub(agents.find(({ name }) => name === contender.agent)!))
  await saveConnector(hub)
  rows.push({ ...contender, hub, aloneRounds: [] as Figures[], sessionRounds: [] as Figures[] })
}
const builtIn = stack.use(await openBuiltIn())
await saveConnector(builtIn.hub)
const builtInRounds = { alone: [] as Figures[], inSession: [] as Figures[] }
// The first round warms up: it reads the programs from disk.
for (let round = 0; round <= rounds; round++) {
  process.stderr.write(`round ${round} of ${rounds}\n`)
  for (const { hub, agent, alone, aloneRounds, sessionRounds } of rows) {
    const figures = { alone: await runAlone(hub, alone), inSession: await runInSession(hub, agent) }
    if (round === 0) continue
    aloneRounds.push(figures.alone)
    sessionRounds.push(figures.inSession)
  }
  const figures = { alone: await builtIn.alone(), inSession: await builtIn.inSession() }
  if (round === 0) continue
  builtInRounds.alone.push(figures.alone)
  builtInRounds.inSession.push(figures.inSession)
}
const claude = rows.find(({ agent }) => agent === 'claude')!
const hookMs = await measureHookAnswers(claude.hub, Number(values.hooks))
const table = resultsTable(
  [
    ...rows.map(({ label, aloneRounds, sessionRounds }) => ({
      agent: label,
      alone: aloneRounds,
      inSession: sessionRounds,
    })),
    { agent: 'the built-in agent', ...builtInRounds },
  ],
  hookMs,
  rounds,
)
console.log(table)
if (values['write-docs']) await writeIntoDocs('bench:agents', table)

async function saveConnector(hub: AgentHub): Promise<void> {
  const [cmd, ...args] = upstreamCommand(hub)
  await hub.call('save_connector', { name: 'counting', transport: 'stdio', cmd, args })
}

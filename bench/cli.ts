/**
 * The cost of CLI commands, compared with Node itself and with tmux. The commands alternate, so that other load on the
 * machine affects all of them. CPU is that of the command and its children, not that of the hub it calls. The row of the
 * hub itself is the time until it is ready.
 *
 *   npm run bench:cli -- [--rounds 15] [--write-docs]
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startHubProcess } from '../test/worlds/hub-process.ts'
import { createTempHome } from '../test/harness/temp-home.ts'
import { machine, median } from './figures.ts'
import { markdownTable } from './markdown-table.ts'
import { writeIntoDocs } from './write-benchmarks.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '15' }, 'write-docs': { type: 'boolean', default: false } },
})
const rounds = Number(values.rounds)
if (!(rounds > 0)) throw new Error(`--rounds must be a number greater than 0, not "${values.rounds}".`)
const signalbox = fileURLToPath(new URL('../bin/signalbox', import.meta.url))

interface Usage {
  readonly cpuMs: number
  readonly wallMs: number
}

await using home = await createTempHome()
await using _hub = await startHubProcess({ home: home.path })
const env = { ...process.env, SIGNALBOX_HOME: home.path }
run([signalbox, 'new', 'bench', '--', 'cat'])
run(['tmux', '-L', 'signalbox-bench', 'new-session', '-d', 'cat'])

let started = 0
const commands: Readonly<Record<string, () => readonly string[]>> = {
  'node -e 0': () => [process.execPath, '-e', '0'],
  'tmux ls': () => ['tmux', '-L', 'signalbox-bench', 'ls'],
  'signalbox --version': () => [signalbox, '--version'],
  'signalbox ls': () => [signalbox, 'ls'],
  'signalbox send': () => [signalbox, 'send', 'bench', 'hello'],
  'signalbox screen': () => [signalbox, 'screen', 'bench'],
  'signalbox new': () => [signalbox, 'new', `bench-${++started}`, '--', 'true'],
}

const usages = new Map<string, Usage[]>([...Object.keys(commands), 'signalbox up'].map((name) => [name, []]))
try {
  for (let round = 0; round < rounds; round++) {
    for (const [name, command] of Object.entries(commands)) usages.get(name)?.push(run(command()))
    usages.get('signalbox up')?.push(await startOnce())
  }
} finally {
  spawnSync('tmux', ['-L', 'signalbox-bench', 'kill-server'])
}

const bare = medianOf('node -e 0', 'cpuMs')
const rows = [...usages.keys()].map((name) => {
  const cpuMs = medianOf(name, 'cpuMs')
  return [`\`${name}\``, cpuMs.toFixed(0), (cpuMs / bare).toFixed(1), medianOf(name, 'wallMs').toFixed(0)]
})
const table = [
  ...markdownTable([['command', 'CPU ms', '× `node -e 0`', 'ms'], ...rows], 1),
  '',
  `${machine()}. Medians of ${rounds} interleaved rounds.`,
].join('\n')
console.log(table)
if (values['write-docs']) await writeIntoDocs('bench:cli', table)

function medianOf(name: string, field: keyof Usage): number {
  return median((usages.get(name) ?? []).map((usage) => usage[field]))
}

/** Measured by the shell, which includes the children of the command. */
function run(command: readonly string[]): Usage {
  const timed = 'TIMEFORMAT="%R %U %S"; time "$@" >/dev/null 2>&1 </dev/null'
  const { stderr } = spawnSync('bash', ['-c', timed, 'bash', ...command], { env, encoding: 'utf8' })
  const [real, user, system] = stderr.trim().split(' ').map(Number)
  if (real === undefined || user === undefined || system === undefined) throw new Error(`${command[0]}: ${stderr}`)
  return { cpuMs: (user + system) * 1000, wallMs: real * 1000 }
}

async function startOnce(): Promise<Usage> {
  await using own = await createTempHome()
  const startedAt = performance.now()
  await using upAndReady = await startHubProcess({ home: own.path })
  return { cpuMs: cpuMsOf(upAndReady.process.pid!), wallMs: performance.now() - startedAt }
}

/** User and system time, which the kernel counts in hundredths of a second (Linux). */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** The command `signalbox`: gives the command line what a process has, and ends with its exit code. */
import module from 'node:module'
import { giveBackMemory } from './base/give-back-memory.ts'
import { createStandardOutput, runCli } from './cli/cli.ts'

// The clients that a restarted hub finds waiting come first.
const giveBackAfterMs = 5_000

const { out, write, end } = createStandardOutput(process)

const code = await runCli(process.argv.slice(2), {
  readEnvironment: async () => (await import('./config/config.ts')).readEnvironment(),
  out,
  write,
  display: () => {
    const { isTTY, columns, rows } = process.stdout
    return isTTY ? { columns, rows, hasColours: process.stdout.hasColors() } : undefined
  },
  err: (line) => process.stderr.write(`${line}\n`),
  readStdin: async () => Buffer.concat(await process.stdin.toArray()).toString('utf8'),
  async startHub(loaded) {
    const { startHub } = await import('./hub.ts')
    const hub = await startHub(loaded)
    // Node would do so at the end, which a hub that is killed does not have.
    module.flushCompileCache()
    setTimeout(giveBackMemory, giveBackAfterMs).unref()
    return hub
  },
})
end(code)

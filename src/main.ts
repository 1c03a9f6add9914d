/** The command `signalbox`: gives the command line what a process has, and ends with its exit code. */
import { once } from 'node:events'
import module from 'node:module'
import { giveBackMemory } from './base/give-back-memory.ts'
import { runCli } from './cli/cli.ts'

// The clients that a restarted hub finds waiting come first.
const giveBackAfterMs = 5_000

// "signalbox config | head" closes the pipe early; that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

const code = await runCli(process.argv.slice(2), {
  readEnvironment: async () => (await import('./config/config.ts')).readEnvironment(),
  out: (line) => process.stdout.write(`${line}\n`),
  write: async (bytes) => {
    if (!process.stdout.write(bytes)) await once(process.stdout, 'drain')
  },
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
// A finished command ends, whatever is still open.
process.stdout.write('', () => process.exit(code))

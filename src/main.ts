/** The command `signalbox`: connects the command line to its process and exits with its code. */
import module from 'node:module'
import { createStandardOutput, runCli } from './cli/cli.ts'

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
    // Node writes the cache when it exits, and a killed hub never gets there.
    module.flushCompileCache()
    return hub
  },
})
end(code)

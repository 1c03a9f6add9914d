/** The command `signalbox`: connects the command line to its process and exits with its code. */
import module from 'node:module'
import { closeInherited } from './base/close-inherited.ts'
import { createStandardOutput, runCli, utf8Text } from './cli/cli.ts'

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
  readStdin: async ({ replacesWrongBytes } = { replacesWrongBytes: false }) => {
    const bytes = Buffer.concat(await process.stdin.toArray())
    return replacesWrongBytes ? bytes.toString('utf8') : utf8Text(bytes, 'The input')
  },
  async startHub(loaded) {
    closeInherited()
    const { startHub } = await import('./hub.ts')
    const hub = await startHub(loaded)
    // Node writes the cache when it exits, and a killed hub never gets there.
    module.flushCompileCache()
    return hub
  },
})
end(code)

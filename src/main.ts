#!/usr/bin/env node
/**
 * The program. It loads what a command needs and nothing else, and imports only what every Node has, so that an old one
 * can be told so in words.
 */
import { once } from 'node:events'
import module from 'node:module'

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `signalbox: Node 24 or newer is needed, this is ${process.version}. Run bin/signalbox, which brings its own, or install Node 24.`,
  )
  process.exit(2)
}
module.enableCompileCache()

const { runCli } = await import('./cli/cli.ts')

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
  startHub: async (loaded) => (await import('./hub.ts')).startHub(loaded),
})
// A finished command ends, whatever is still open.
process.stdout.write('', () => process.exit(code))

/**
 * The holder: a small process that owns one program, in a terminal or on pipes, and outlives the hub. It gets its task
 * on standard input, since no other process may see the program's environment. It reports on standard output that it is
 * ready. After that, hubs talk to it over its socket only. It has imported everything by then, since an upgrade may
 * replace the package.
 */
import { chmodSync, rmSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import type { Server } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { closeInherited } from '../../base/close-inherited.ts'
import type { Exit } from '../journal/journal-files.ts'
import { journalFolder } from '../journal/journal-files.ts'
import { createOutputTail } from '../journal/output-tail.ts'
import { readOutput } from '../journal/read-output.ts'
import type { Hello } from './frames.ts'
import { encodeJson, frameKind, protocolVersion } from './frames.ts'
import type { HolderParts } from './running-program.ts'
import { runInTerminal } from './run-in-terminal.ts'
import { runOnPipes } from './run-on-pipes.ts'
import { type HolderInfo, createInfoFile } from './holder-info.ts'
import type { HolderTask } from './task.ts'
import type { Viewer } from './viewer.ts'
import { serveViewer } from './viewer.ts'

/** Recent output for viewers that lag a little. On a full disk it is all they can get. */
const tailBytes = 256 * 1024
/** One hub follows a holder; another may still be ending. */
const maxConnections = 64

async function run({ version, socket, directory, program, ...task }: HolderTask): Promise<void> {
  closeInherited()
  const server = createServer()
  server.maxConnections = maxConnections
  await listenPrivately(server, socket)

  const journalDirectory = join(directory, journalFolder)
  const tail = createOutputTail(0, tailBytes)
  const infoFile = createInfoFile(directory)
  const viewers = new Set<Viewer>()
  let info: HolderInfo | undefined
  let fault: string | undefined

  const parts: HolderParts = {
    directory,
    journalDirectory,
    limits: task.journal,
    viewers,
    show(offset, bytes) {
      tail.add(offset, bytes)
      for (const viewer of viewers) viewer.output(offset, bytes)
    },
    report,
    end,
  }
  const isPiped = 'stdio' in program
  let forwards: Disposable | undefined
  const start = async () => {
    // Loaded on demand: most holders have no forwards, and save the memory.
    if (task.forwards) {
      const { openForwards } = await import('../forwards/forwards.ts')
      forwards = await openForwards(task.forwards.spec, task.forwards.folder)
    }
    return isPiped ? runOnPipes(program, parts) : runInTerminal(program, parts)
  }
  const running = await start().catch((error: unknown) => {
    rmSync(socket, { force: true })
    forwards?.[Symbol.dispose]()
    throw error
  })
  const { journal } = running
  const who = { protocol: protocolVersion, version, pid: process.pid, childPid: running.pid }
  info = { ...who, socket, ...(isPiped && { stdio: 'pipes' }) }

  function report(message: string): void {
    fault = message
    // A full disk may not have taken the file before.
    if (info) infoFile.write(info)
    for (const viewer of viewers) viewer.fault(message)
  }

  const read = (since: number, maxBytes: number) => readOutput(journalDirectory, tail, since, maxBytes)
  server.on('connection', (connection) => {
    const viewer = serveViewer({ connection, journal, read, listeners: running.listenersFor(() => viewer) })
    viewers.add(viewer)
    connection.on('close', () => viewers.delete(viewer))
    const { firstOffset, offset } = journal
    const hello: Hello = { ...who, ...running.hello(), firstOffset, offset, ...(fault !== undefined && { fault }) }
    connection.write(encodeJson(frameKind.hello, hello))
  })

  /** Gives the viewers a moment to receive the end. The journal has it in any case. */
  function end(exit: Exit): void {
    journal.recordExit(exit)
    if (info) infoFile.write((info = { ...info, exit }))
    for (const viewer of viewers) viewer.exit(exit)
    rmSync(socket, { force: true })
    forwards?.[Symbol.dispose]()
    server.close()
    setTimeout(() => process.exit(0), 2_000).unref()
    for (const viewer of viewers) viewer.close()
    journal.close()
  }

  process.on('uncaughtException', (error) => report(`Its holder had an error and continues: ${error.message}`))
  infoFile.write(info)
  process.stdout.write(`${JSON.stringify(info)}\n`)
  // Written now for the next holder. Otherwise Node writes it at the end of this process, which may be weeks away.
  flushCompileCache()
}

async function listenPrivately(server: Server, socket: string): Promise<void> {
  rmSync(socket, { force: true })
  const before = process.umask(0o177)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(socket, resolve)
  })
  process.umask(before)
  chmodSync(socket, 0o600)
}

// Only the end of its program ends the holder, not a closed terminal and not Ctrl-C in the hub.
for (const signal of ['SIGHUP', 'SIGINT', 'SIGPIPE'] as const) process.on(signal, () => {})
process.stdout.on('error', () => {})

const chunks: Buffer[] = []
for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
await run(JSON.parse(Buffer.concat(chunks).toString('utf8')) as HolderTask).catch((error: unknown) => {
  const reason = error instanceof Error ? error.message : String(error)
  process.stdout.write(`${JSON.stringify({ error: reason })}\n`, () => process.exit(1))
})

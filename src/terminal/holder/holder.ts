/**
 * The holder: a small process that owns one terminal and outlives the hub. It gets its task on standard input, since
 * what a program's environment holds is nobody else's business, says on standard output that it is ready, and is then
 * spoken to over its socket alone. Everything it needs is imported by then: the package may change under it.
 */
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:net'
import { createServer } from 'node:net'
import { constants } from 'node:os'
import { join } from 'node:path'
import type { Hello } from './frames.ts'
import { encodeJson, frameKind, protocolVersion } from './frames.ts'
import { openJournalWriter } from './journal-writer.ts'
import { startPty } from './pty.ts'
import type { HolderNotice, HolderTask } from './task.ts'
import { holderNoticeFile } from './task.ts'
import type { Viewer } from './viewer.ts'
import { serveViewer } from './viewer.ts'

async function hold(task: HolderTask): Promise<void> {
  const { version, socket, directory, program } = task
  const journalDirectory = join(directory, 'journal')
  const journal = openJournalWriter(journalDirectory, task.journal)
  const viewers = new Set<Viewer>()
  let size = { cols: program.cols, rows: program.rows }
  let isDiskFull = false
  journal.noteResize(size)

  const pty = startPty(program, {
    onOutput(bytes) {
      const { offset } = journal
      const isKept = journal.append(bytes)
      if (isKept === isDiskFull) tellDisk(isKept)
      for (const viewer of viewers) viewer.output(offset, bytes)
    },
    onExit({ code, signal }) {
      const exit = { offset: journal.offset, code, signal: signal === null ? null : signalName(signal) }
      journal.noteExit(exit)
      for (const viewer of viewers) viewer.exit(exit)
      end()
    },
  })

  function tellDisk(isKept: boolean): void {
    isDiskFull = !isKept
    const message = isKept ? 'The journal is written again.' : 'The disk took no more: output is shown, but not kept.'
    for (const viewer of viewers) viewer.fault(message)
  }

  const hello = (): Hello => {
    const { firstOffset, offset } = journal
    return { protocol: protocolVersion, version, pid: process.pid, childPid: pty.pid, size, firstOffset, offset }
  }

  const server = createServer((connection) => {
    const viewer = serveViewer(connection, journalDirectory, journal, {
      onInput: (bytes) => pty.write(bytes),
      onResize(next) {
        size = next
        pty.resize(next)
        journal.noteResize(next)
        const { offset } = journal
        for (const each of viewers) each.resized({ ...next, offset })
      },
      onSignal: (name) => pty.signal(name),
    })
    viewers.add(viewer)
    connection.on('close', () => viewers.delete(viewer))
    connection.write(encodeJson(frameKind.hello, hello()))
  })

  /** Gives the viewers a moment to take the end; the journal has it in any case. */
  function end(): void {
    rmSync(socket, { force: true })
    server.close()
    setTimeout(() => process.exit(0), 2_000).unref()
    for (const viewer of viewers) viewer.close()
    journal.close()
  }

  await listenPrivately(server, socket)
  const notice: HolderNotice = { protocol: protocolVersion, version, pid: process.pid, childPid: pty.pid, socket }
  writeFileSync(join(directory, holderNoticeFile), JSON.stringify(notice), { mode: 0o600 })
  process.stdout.write(`${JSON.stringify(notice)}\n`)
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

function signalName(number: number): string {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`
}

// Nobody may stop it but the end of its program: not a closed terminal, not the hub's Ctrl-C.
for (const signal of ['SIGHUP', 'SIGINT', 'SIGPIPE'] as const) process.on(signal, () => {})
process.stdout.on('error', () => {})

const chunks: Buffer[] = []
for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
await hold(JSON.parse(Buffer.concat(chunks).toString('utf8')) as HolderTask).catch((error: unknown) => {
  process.stdout.write(`${JSON.stringify({ error: error instanceof Error ? error.message : String(error) })}\n`)
  process.exitCode = 1
})

/**
 * The holder: a small process that owns one terminal and outlives the hub. It gets its task on standard input, since
 * what a program's environment holds is nobody else's business, says on standard output that it is ready, and is then
 * spoken to over its socket alone. Everything it needs is imported by then: the package may change under it.
 */
import { chmodSync, rmSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import type { Server } from 'node:net'
import { createServer } from 'node:net'
import { constants } from 'node:os'
import { join } from 'node:path'
import { createOutputTail } from '../output-tail.ts'
import { readOutput } from '../read-output.ts'
import { startInTmux } from '../tmux/tmux-pty.ts'
import type { Hello } from './frames.ts'
import { encodeJson, frameKind, protocolVersion } from './frames.ts'
import { journalFolder } from './journal-files.ts'
import { openJournalWriter } from './journal-writer.ts'
import type { HolderNotice } from './notice.ts'
import { createNoticeFile } from './notice.ts'
import type { PtyListeners } from './pty.ts'
import { startPty } from './pty.ts'
import type { HolderTask } from './task.ts'
import type { Viewer, ViewerListeners } from './viewer.ts'
import { serveViewer } from './viewer.ts'

/** At hand for viewers that lag a little; on a full disk it is all they can get. */
const tailBytes = 256 * 1024

async function hold({ version, socket, directory, program, ...task }: HolderTask): Promise<void> {
  const server = createServer()
  await listenPrivately(server, socket)

  const journalDirectory = join(directory, journalFolder)
  let size = { cols: program.cols, rows: program.rows }
  const journal = openJournalWriter({ directory: journalDirectory, limits: task.journal, size })
  const tail = createOutputTail(0, tailBytes)
  const noticeFile = createNoticeFile(directory)
  const viewers = new Set<Viewer>()
  let fault: string | undefined
  let isDiskFull = false
  let answered = 0

  const listeners: PtyListeners = {
    onOutput(bytes) {
      const { offset } = journal
      const isKept = journal.append(bytes)
      tail.add(offset, bytes)
      if (isKept === isDiskFull) noteDisk(isKept)
      for (const viewer of viewers) viewer.output(offset, bytes)
    },
    onResize(next) {
      size = next
      journal.noteResize(next)
      const { offset } = journal
      for (const viewer of viewers) viewer.resized({ ...next, offset })
    },
    onExit({ signal, ...how }) {
      const exit = { ...how, offset: journal.offset, signal: signal === null ? null : signalName(signal) }
      journal.noteExit(exit)
      noticeFile.write({ ...notice, exit })
      for (const viewer of viewers) viewer.exit(exit)
      end()
    },
  }
  const pty = 'tmux' in program ? await startInTmux(program, directory, listeners) : startPty(program, listeners)
  const who = { protocol: protocolVersion, version, pid: process.pid, childPid: pty.pid }
  const notice: HolderNotice = { ...who, socket }

  function noteDisk(isKept: boolean): void {
    isDiskFull = !isKept
    if (isKept) noticeFile.write(notice)
    tell(
      isKept
        ? `The disk was full for a while: ${journal.lostBytes} bytes of output were shown, but not kept.`
        : 'The disk is full: output is shown, but not kept. Free some room, and it is kept again.',
    )
  }

  function tell(message: string): void {
    fault = message
    for (const viewer of viewers) viewer.fault(message)
  }

  function listenersFor(viewer: () => Viewer): ViewerListeners {
    return {
      onInput: (bytes) => pty.write(bytes, () => viewer().taken(bytes.length)),
      onAnswer(offset, bytes) {
        // Two hubs may have read the question; one answer is enough.
        if (offset <= answered || pty.answersItself) return
        answered = offset
        pty.write(bytes)
      },
      onResize(next) {
        if (next.cols !== size.cols || next.rows !== size.rows) pty.resize(next)
      },
      onSignal: (name) => pty.signal(name),
    }
  }

  const read = (since: number, maxBytes: number) => readOutput(journalDirectory, tail, since, maxBytes)
  server.on('connection', (connection) => {
    const viewer = serveViewer({ connection, journal, read, listeners: listenersFor(() => viewer) })
    viewers.add(viewer)
    connection.on('close', () => viewers.delete(viewer))
    const { firstOffset, offset } = journal
    const hello: Hello = { ...who, size, firstOffset, offset, answered, ...(fault !== undefined && { fault }) }
    connection.write(encodeJson(frameKind.hello, hello))
  })

  /** Gives the viewers a moment to take the end; the journal has it in any case. */
  function end(): void {
    rmSync(socket, { force: true })
    server.close()
    setTimeout(() => process.exit(0), 2_000).unref()
    for (const viewer of viewers) viewer.close()
    journal.close()
  }

  process.on('uncaughtException', (error) => tell(`Its holder had a fault, and goes on: ${error.message}`))
  noticeFile.write(notice)
  process.stdout.write(`${JSON.stringify(notice)}\n`)
  // Now, for the next one: by itself it would be written at the end, which may be weeks away.
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

function signalName(number: number): string {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`
}

// Nobody may stop it but the end of its program: not a closed terminal, not the hub's Ctrl-C.
for (const signal of ['SIGHUP', 'SIGINT', 'SIGPIPE'] as const) process.on(signal, () => {})
process.stdout.on('error', () => {})

const chunks: Buffer[] = []
for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
await hold(JSON.parse(Buffer.concat(chunks).toString('utf8')) as HolderTask).catch((error: unknown) => {
  const reason = error instanceof Error ? error.message : String(error)
  process.stdout.write(`${JSON.stringify({ error: reason })}\n`, () => process.exit(1))
})

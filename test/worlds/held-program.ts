/** A program in its own holder, in a directory that is deleted with the test. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { HolderConnection } from '../../src/terminal/holder-connection.ts'
import { connectToHolder } from '../../src/terminal/holder-connection.ts'
import { type HolderInfo, readHolderInfo } from '../../src/terminal/holder/holder-info.ts'
import type { PtySpec } from '../../src/terminal/pty/pty.ts'
import { readJournal } from '../../src/terminal/journal/journal.ts'
import type { Exit } from '../../src/terminal/journal/journal-files.ts'
import { startHolder } from '../../src/terminal/start-holder.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { until } from '../fixtures/until.ts'

export interface HeldProgram {
  readonly directory: string
  readonly journal: string
  readonly socket: string
  readonly info: HolderInfo
}

export interface HoldOptions {
  readonly segmentBytes?: number
  readonly maxBytes?: number
  readonly env?: Readonly<Record<string, string>>
}

/** A shell line in a terminal of 80 columns and 24 rows. */
export function shellLine(command: string, env: Readonly<Record<string, string>> = {}): PtySpec {
  return {
    file: '/bin/sh',
    args: ['-c', command],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', HOME: homedir(), HISTFILE: '', ...env },
    cols: 80,
    rows: 24,
  }
}

export async function hold(command: string, options: HoldOptions = {}): Promise<HeldProgram> {
  const { segmentBytes = 8 * 1024 * 1024, maxBytes = 1024 * 1024 * 1024, env } = options
  const directory = temporaryDirectory()
  const socket = join(directory, 's.sock')
  const journal = { segmentBytes, maxBytes }
  const task = { version: 'test', socket, directory, journal, program: shellLine(command, env) }
  const info = await startHolder(task, process.env['NODE_COMPILE_CACHE'])
  onTestFinished(() => endProgram(info.childPid))
  return { directory, journal: join(directory, 'journal'), socket, info }
}

/** Does nothing if the program has already ended. */
export function endProgram(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {}
}

export async function connectTo({ socket }: HeldProgram): Promise<HolderConnection> {
  const connection = await connectToHolder(socket)
  if (!connection) throw new Error('no holder answers')
  onTestFinished(() => connection.close())
  return connection
}

export interface Followed {
  readonly bytes: Buffer
  readonly exit: Exit | undefined
}

/** All output from `from` to the end of the program. */
export async function follow(connection: HolderConnection, from = 0): Promise<Followed> {
  const chunks: Buffer[] = []
  let exit: Exit | undefined
  await new Promise<void>((resolve) => {
    connection.listen({
      onOutput: (_, bytes) => chunks.push(Buffer.from(bytes)),
      onResize: () => {},
      onExit: (ended) => (exit = ended),
      onFault: () => {},
      onClose: resolve,
    })
    connection.attach(from)
  })
  return { bytes: Buffer.concat(chunks), exit }
}

/** All bytes of the journal. */
export function readAll(journal: string): Buffer {
  const parts: Buffer[] = []
  for (let from = 0; ;) {
    const { offset, bytes } = readJournal(journal, from, 1024 * 1024)
    if (bytes.length === 0) return Buffer.concat(parts)
    parts.push(bytes)
    from = offset + bytes.length
  }
}

export function untilExit({ directory }: { readonly directory: string }): Promise<Exit> {
  return until(() => readHolderInfo(directory)?.exit)
}

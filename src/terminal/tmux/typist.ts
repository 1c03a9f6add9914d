/**
 * Types into a pane. The bytes go the way of a paste buffer, over standard input: what is typed may be a password, and
 * arguments can be seen by everybody. A client is started beforehand and waits, since starting takes ten times as long
 * as typing.
 */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { TmuxAccess } from './access.ts'

export interface Typist {
  /** `onTaken` is called when tmux has them, or is gone. */
  write(bytes: Buffer, onTaken?: () => void): void
  close(): void
}

interface Typed {
  readonly bytes: Buffer
  readonly onTaken: (() => void) | undefined
}

export function createTypist({ program, env }: TmuxAccess, pane: string): Typist {
  let waiting: Typed[] = []
  let isTyping = false
  let isClosed = false
  let spare: ChildProcess | undefined = hire()

  function hire(): ChildProcess {
    const buffer = `signalbox-${randomUUID()}`
    // As they are: no line end is changed, nothing is put around them, and a person who looks back is not disturbed.
    const words = ['load-buffer', '-b', buffer, '-', ';', 'paste-buffer', '-r', '-d', '-b', buffer, '-t', pane]
    const client = spawn(program, words, { env: { ...env }, cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] })
    client.stdin?.on('error', () => {})
    client.once('error', () => {})
    client.once('close', () => {
      if (spare === client) spare = undefined
    })
    return client
  }

  function work(): void {
    if (isTyping || waiting.length === 0) return
    isTyping = true
    const typed = waiting
    waiting = []
    const client = spare ?? hire()
    spare = undefined
    client.once('close', () => {
      isTyping = false
      for (const { onTaken } of typed) onTaken?.()
      work()
    })
    client.stdin?.end(Buffer.concat(typed.map(({ bytes }) => bytes)))
    if (!isClosed) spare = hire()
  }

  return {
    write(bytes, onTaken) {
      if (isClosed || bytes.length === 0) return onTaken?.()
      waiting.push({ bytes, onTaken })
      work()
    },
    close() {
      isClosed = true
      spare?.kill()
    },
  }
}

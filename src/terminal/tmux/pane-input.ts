/**
 * Types into a pane through a paste buffer, from standard input: the text may be a password, and every user can see
 * arguments. A client is started in advance and waits, since starting takes ten times as long as typing.
 */
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { startProgram } from '../../base/start-program.ts'
import type { TmuxAccess } from './access.ts'

export interface PaneInput {
  /** `onTaken` is called when tmux has taken the bytes, or is gone. */
  write(bytes: Buffer, onTaken?: () => void): void
  close(): void
}

interface Typed {
  readonly bytes: Buffer
  readonly onTaken: (() => void) | undefined
}

export function createPaneInput({ program, env, server = [] }: TmuxAccess, pane: string): PaneInput {
  let waiting: Typed[] = []
  let isTyping = false
  let isClosed = false
  let spare: ChildProcess | undefined = startClient()

  function startClient(): ChildProcess {
    const buffer = `signalbox-${randomUUID()}`
    // Pastes the bytes unchanged and without brackets, and does not disturb a person in copy mode.
    const words = ['load-buffer', '-b', buffer, '-', ';', 'paste-buffer', '-r', '-d', '-b', buffer, '-t', pane]
    const tmux = { file: program, args: [...server, ...words], cwd: '/', env }
    const client = startProgram(tmux, 'person', { stdio: ['pipe', 'ignore', 'ignore'] })
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
    const client = spare ?? startClient()
    spare = undefined
    client.once('close', () => {
      isTyping = false
      for (const { onTaken } of typed) onTaken?.()
      work()
    })
    client.stdin?.end(Buffer.concat(typed.map(({ bytes }) => bytes)))
    if (!isClosed) spare = startClient()
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

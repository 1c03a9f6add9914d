/**
 * What a pane's program writes, for as long as the pane is there. A person may have its output given to a program of
 * their own, which ends our pipe: when theirs has ended, what the pane shows is drawn anew, and goes on from there.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { TmuxAccess, TmuxCommand } from './access.ts'
import { askTmux } from './access.ts'
import type { OutputPipe } from './output-pipe.ts'
import { openOutputPipe } from './output-pipe.ts'
import { findPane } from './pane.ts'
import type { Picture } from './picture.ts'
import { drawAnew, drawWhole, pictureCommands, readPicture } from './picture.ts'
import { tmuxLiteral } from './words.ts'

export interface PaneOutput {
  /** For whoever starts the program along with it, so that its first byte is heard. */
  readonly pipeCommand: TmuxCommand
  /** What comes by the command above. */
  read(): void
  /** What the pane shows and has shown, and from there on what comes. */
  join(): Promise<void>
  close(): void
}

export interface PaneOutputOptions {
  readonly tmux: TmuxAccess
  readonly pane: string
  /** Where the pipe is made. */
  readonly directory: string
  readonly onBytes: (bytes: Buffer) => void
  /** What is drawn over, or after, whatever came before. */
  readonly onPicture: (bytes: Buffer) => void
  /** Nothing follows. */
  readonly onGone: () => void
}

const retryMs = { first: 50, most: 2_000 }

export async function openPaneOutput(options: PaneOutputOptions): Promise<PaneOutput> {
  const { tmux, pane, directory, onBytes, onPicture, onGone } = options
  let isClosed = false
  let pipe = await openPipe()

  function openPipe(): Promise<OutputPipe> {
    return openOutputPipe(directory, { onBytes, onEnd: () => void afterEnd() })
  }

  async function join(draw: (picture: Picture) => Buffer): Promise<void> {
    const answer = await askTmux(tmux, [...pictureCommands(pane), pipeCommand()])
    if (isClosed) return
    onPicture(draw(readPicture(answer)))
    pipe.read()
  }

  function pipeCommand(): TmuxCommand {
    // Signs of the clock are filled in here, too.
    return ['pipe-pane', '-O', '-t', pane, tmuxLiteral(pipe.shellLine).replaceAll('%', '%%')]
  }

  async function afterEnd(): Promise<void> {
    pipe.close()
    for (let waitMs = retryMs.first; !isClosed; waitMs = Math.min(waitMs * 2, retryMs.most)) {
      try {
        const now = await findPane(tmux, pane)
        if (isClosed) return
        if (!now) return onGone()
        if (!now.isPiped) {
          pipe = await openPipe()
          return await join(drawAnew)
        }
      } catch {
        // tmux did not say; the pane is not given up before it does.
      }
      await sleep(waitMs)
    }
  }

  return {
    get pipeCommand() {
      return pipeCommand()
    },
    read: () => pipe.read(),
    join: () => join(drawWhole),
    close() {
      isClosed = true
      pipe.close()
    },
  }
}

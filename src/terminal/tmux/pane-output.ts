/**
 * The output of a pane's program, as long as the pane exists. A person may pipe the output to another program, which
 * ends our pipe. When that program has ended, the screen of the pane is redrawn, and output continues from there.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { TmuxAccess, TmuxCommand } from './access.ts'
import { runTmux } from './access.ts'
import type { OutputPipe } from './output-pipe.ts'
import { openOutputPipe } from './output-pipe.ts'
import { findPane } from './pane.ts'
import type { PaneCapture } from './pane-capture.ts'
import { redraw, drawWhole, captureCommands, readCapture } from './pane-capture.ts'
import { tmuxLiteral } from './quoting.ts'

export interface PaneOutput {
  /** For the caller that starts the program with it, so that its first byte is read. */
  readonly pipeCommand: TmuxCommand
  /** Reads the output of the command above. */
  read(): void
  /** Draws the screen and scrollback of the pane, then continues with its output. */
  join(): Promise<void>
  /** Runs commands that end the pipe, which is not opened again. If they fail, output continues. */
  end(commands: readonly TmuxCommand[]): Promise<void>
  close(): void
}

export interface PaneOutputOptions {
  readonly tmux: TmuxAccess
  readonly pane: string
  /** The folder for the pipe. */
  readonly directory: string
  readonly onBytes: (bytes: Buffer) => void
  /** Drawn over, or after, the output before. */
  readonly onRedraw: (bytes: Buffer) => void
  /** Nothing follows. */
  readonly onGone: () => void
}

const retryMs = { first: 50, most: 2_000 }

export async function openPaneOutput(options: PaneOutputOptions): Promise<PaneOutput> {
  const { tmux, pane, directory, onBytes, onRedraw, onGone } = options
  let isClosed = false
  let ending: Promise<void> | undefined
  let pipe = await openPipe()

  function openPipe(): Promise<OutputPipe> {
    return openOutputPipe(directory, { onBytes, onEnd: () => void afterEnd() })
  }

  async function join(draw: (capture: PaneCapture) => Buffer): Promise<void> {
    const answer = await runTmux(tmux, [...captureCommands(pane), pipeCommand()])
    if (isClosed) return
    onRedraw(draw(readCapture(answer)))
    pipe.read()
  }

  function pipeCommand(): TmuxCommand {
    // This command also expands strftime sequences.
    return ['pipe-pane', '-O', '-t', pane, tmuxLiteral(pipe.shellLine).replaceAll('%', '%%')]
  }

  async function afterEnd(): Promise<void> {
    pipe.close()
    await ending?.catch(() => {})
    for (let waitMs = retryMs.first; !isClosed; waitMs = Math.min(waitMs * 2, retryMs.most)) {
      try {
        const now = await findPane(tmux, pane)
        if (isClosed) return
        if (!now) return onGone()
        if (!now.isPiped) {
          pipe = await openPipe()
          return await join(redraw)
        }
      } catch {
        // tmux did not answer. The pane is not given up before it does.
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
    end: (commands) => (ending = runTmux(tmux, commands).then(() => void (isClosed = true))),
    close() {
      isClosed = true
      pipe.close()
    },
  }
}

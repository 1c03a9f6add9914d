/** `signalbox replay` */
import { existsSync } from 'node:fs'
import type { TerminalSize } from '../../api/session.ts'
import { openHubClient } from '../hub-client/ask-hub.ts'
import type { HubArguments } from '../hub-client/ask-hub.ts'
import type { Recording } from './asciicast.ts'
import { readAsciicast } from './asciicast.ts'
import { openRawTerminal } from '../attach/raw-terminal.ts'
import { createView } from '../attach/view.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import type { CliContext } from '../command/command.ts'
import { hubFlags } from '../command/common-flags.ts'
import { readDuration } from '../command/duration-flag.ts'
import { createPlayerKeys } from './player-keys.ts'
import { exportRecording, readRecording } from './recording-file.ts'

export const command = defineCommand({
  takes: '<session | file.cast>',
  about: [
    'Plays back the output of a session, or a recording from a file, at its original pace. Space pauses and continues, q or',
    'Ctrl-C ends it. If stdout is not a terminal, all of it is written at once.',
  ].join('\n'),
  flags: {
    speed: { short: 's', takes: 'FACTOR', about: 'the playback speed, such as 2 or 0.5 (default: 1)' },
    'idle-limit': { short: 'i', takes: 'TIME', about: 'shorten longer pauses to this (default: no limit)' },
    ...hubFlags,
  },
  words: { min: 1, max: 1 },
  examples: ['signalbox replay fix-tests --speed 4 --idle-limit 2s', 'signalbox replay demo.cast'],
  async run(args, context) {
    const [source = ''] = args.words
    const speed = Number(args.text('speed') ?? '1')
    if (!(speed > 0))
      throw new CliError('usage', `--speed takes a number such as 2 or 0.5, not "${args.text('speed')}".`)
    const idleLimitMs = args.has('idle-limit') ? readDuration(args, 'idle-limit', '') : Infinity

    const recording = readAsciicast(await read(source, args, context), source)
    if (context.display()) await play(recording, { speed, idleLimitMs })
    else for (const { is, data } of recording.events) if (is === 'output') await context.write(data)
    return 'ok'
  },
})

async function read(source: string, args: HubArguments, context: CliContext): Promise<string> {
  if (source.includes('/') || existsSync(source)) return readRecording(source)
  using hub = await openHubClient(args, context)
  const { path } = await exportRecording(hub, source)
  return readRecording(path)
}

interface Pace {
  readonly speed: number
  readonly idleLimitMs: number
}

/** Resolves when the recording has ended and a key is pressed, or when the person quits. */
async function play({ size, events }: Recording, { speed, idleLimitMs }: Pace): Promise<void> {
  const { createScreen } = await import('../../terminal/terminal.ts')
  const keys = createPlayerKeys()
  using terminal = openRawTerminal('replay', {
    onInput: (bytes) => keys.press(bytes),
    onResize: () => void redraw(),
    onHangUp: () => keys.end(),
  })
  const view = createView(terminal, { clipboard: false, createScreen })
  // Keeps the screen to redraw when the program leaves its alternate screen.
  using screen = createScreen({ size, scrollbackLines: 0, onAnswer: () => {} })

  async function redraw(): Promise<void> {
    await screen.settled()
    view.draw(screen.snapshot()?.drawing ?? '', screen.size)
  }

  await redraw()
  for (const { afterMs, is, data } of events) {
    await keys.wait(Math.min(afterMs, idleLimitMs) / speed)
    if (keys.hasEnded) return
    if (is === 'output') {
      const bytes = Buffer.from(data)
      void screen.feed(bytes)
      if (view.show(bytes).isStale) await redraw()
    }
    if (is === 'resize') {
      screen.resize(sizeIn(data))
      await redraw()
    }
  }
  view.setNotice('The end. Press any key to quit.')
  await keys.anyKey()
}

/** Reads `120x40`. */
function sizeIn(text: string): TerminalSize {
  const [cols = 80, rows = 24] = text.split('x').map(Number)
  return { cols, rows }
}

/** `signalbox replay` */
import { existsSync } from 'node:fs'
import type { TerminalSize } from '../api/session.ts'
import { connectFrom } from './ask-hub.ts'
import type { HubArguments } from './ask-hub.ts'
import type { Recording } from './asciicast.ts'
import { readAsciicast } from './asciicast.ts'
import { openOwnTerminal } from './attach/own-terminal.ts'
import { createView } from './attach/view.ts'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'
import type { CliContext } from './command.ts'
import { hubFlags } from './common-flags.ts'
import { readDuration } from './duration-flag.ts'
import { createPlayerKeys } from './player-keys.ts'
import { exportRecording, readRecording } from './recording-file.ts'

export const command = defineCommand({
  takes: '<session | file.cast>',
  about: [
    'Plays what a session printed, at the pace at which it came, or a recording from a file. Space halts and goes on, q',
    'or Ctrl-C ends it. Where the output is no terminal, all of it is written at once.',
  ].join('\n'),
  flags: {
    speed: { short: 's', takes: 'FACTOR', about: 'how much faster: 2, 0.5 (default: 1)' },
    'idle-limit': { short: 'i', takes: 'TIME', about: 'no pause is longer than this (default: as it was)' },
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
  await using hub = await connectFrom(args, context)
  const { path } = await exportRecording(hub, source)
  return readRecording(path)
}

interface Pace {
  readonly speed: number
  readonly idleLimitMs: number
}

/** Until it has ended and a key is pressed, or somebody has seen enough. */
async function play({ size, events }: Recording, { speed, idleLimitMs }: Pace): Promise<void> {
  const { createScreen } = await import('../terminal/terminal.ts')
  const keys = createPlayerKeys()
  using terminal = openOwnTerminal('replay', {
    onInput: (bytes) => keys.press(bytes),
    onResize: () => void redraw(),
    onHangUp: () => keys.end(),
  })
  const view = createView(terminal, { clipboard: false, createScreen })
  // It knows what to draw when the program comes back from its alternate screen.
  using screen = createScreen({ size, scrollbackLines: 0, onAnswer: () => {} })

  async function redraw(): Promise<void> {
    await screen.settled()
    view.draw(screen.snapshot()?.drawing ?? '', screen.size)
  }

  await redraw()
  for (const { afterMs, is, data } of events) {
    await keys.pause(Math.min(afterMs, idleLimitMs) / speed)
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
  view.tell('The end. Any key leaves.')
  await keys.anyKey()
}

/** `120x40` */
function sizeIn(text: string): TerminalSize {
  const [cols = 80, rows = 24] = text.split('x').map(Number)
  return { cols, rows }
}

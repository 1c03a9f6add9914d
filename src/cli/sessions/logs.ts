/** `signalbox logs` */
import { z } from 'zod'
import { ask, openHubClient } from '../hub-client/ask-hub.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import type { CliContext } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import type { HubClient } from '../hub-client/hub-client.ts'
import { createPlainLineReader } from './plain-lines.ts'
import { readOutput } from '../attach/session-output.ts'

const found = z.looseObject({ id: z.string() })
const tail = z.object({ log: z.string(), lines: z.number(), offset: z.number() })

export const command = defineCommand({
  takes: '<session>',
  about: [
    'Prints the last lines of a session’s output as text. With --follow it prints each further line when it is complete,',
    'until the session ends. --follow with --json prints one object per line: {"line": …}. --raw prints the bytes of the',
    'program with colours and line ends. Bytes that are not UTF-8 are replaced, except in output that is followed.',
  ].join('\n'),
  flags: {
    lines: { short: 'n', takes: 'NUMBER', about: 'how many lines, up to 10000 (default: 200)' },
    follow: { short: 'f', about: 'print further output as it comes' },
    raw: { about: 'as the program wrote it; at most the last 1 MiB' },
    ...hubFlags,
    ...jsonFlag,
  },
  words: { min: 1, max: 1 },
  examples: [
    'signalbox logs fix-tests -n 50',
    'signalbox logs fix-tests -f',
    'signalbox logs fix-tests --raw -n 10000 >end.txt',
  ],
  async run(args, context) {
    const [name = ''] = args.words
    const lines = args.text('lines') ?? '200'
    const [raw, isFollowing, isJson] = [args.has('raw'), args.has('follow'), args.has('json')]
    if (!/^[1-9]\d*$/.test(lines) || Number(lines) > 10_000)
      throw new CliError('usage', `--lines takes a number from 1 to 10000, not "${lines}".`)
    if (isFollowing && isJson && raw) {
      throw new CliError(
        'usage',
        '--follow --json prints one object per line, and --raw has no lines. Leave --json or --raw out.',
      )
    }

    using hub = await openHubClient(args, context)
    // Follows by id: a session that starts meanwhile may get the same name.
    const session = isFollowing ? found.parse(await ask(hub, 'get_session', { name })).id : name
    const answer = tail.parse(await ask(hub, 'tail_log', { name: session, lines: Number(lines), raw }))
    if (isJson && !isFollowing) {
      context.out(JSON.stringify(answer, null, 2))
      return 'ok'
    }
    if (raw) await context.write(answer.log)
    const print = (line: string) => context.out(isJson ? JSON.stringify({ line }) : line)
    if (!raw && answer.lines > 0) for (const line of answer.log.split('\n')) print(line)
    const { offset: since } = answer
    if (isFollowing) await (raw ? followRaw(hub, session, since, context) : follow(hub, session, since, context, print))
    return 'ok'
  },
})

async function follow(
  hub: HubClient,
  session: string,
  since: number,
  context: CliContext,
  print: (line: string) => void,
): Promise<void> {
  const reader = createPlainLineReader()
  for await (const bytes of outputOf(hub, session, since, context)) {
    for (const line of reader.read(bytes)) print(line)
  }
  for (const line of reader.end()) print(line)
}

async function followRaw(hub: HubClient, session: string, since: number, context: CliContext): Promise<void> {
  for await (const bytes of outputOf(hub, session, since, context)) await context.write(bytes)
}

/** Ends when the session has ended. */
async function* outputOf(
  hub: HubClient,
  session: string,
  since: number,
  context: CliContext,
): AsyncGenerator<Uint8Array> {
  for (let offset = since; ;) {
    const { bytes, nextOffset, dropped, hasEnded } = await readOutput(hub, session, offset)
    offset = nextOffset
    if (dropped > 0)
      context.err(`signalbox: ${dropped} bytes are missing: the session printed faster than they could be read.`)
    yield bytes
    if (hasEnded && bytes.length === 0) return
  }
}

/** `signalbox logs` */
import { z } from 'zod'
import { ask, connectFrom } from './ask-hub.ts'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'
import type { CliContext } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import type { HubConnection } from './hub-client.ts'
import { createLineReader } from './printed-lines.ts'
import { readOutput } from './session-output.ts'

const found = z.looseObject({ id: z.string() })
const tail = z.object({ log: z.string(), lines: z.number(), offset: z.number() })

export const command = defineCommand({
  takes: '<session>',
  about: [
    'Prints the last lines that a session printed, as text. With --follow it goes on with every line that is finished,',
    'until the session ends; with --json, too, each line is then an object of its own, {"line": …}. --raw gives them as the',
    'program wrote them, colours, line ends and all; what is no UTF-8 is replaced, but not in what is followed.',
  ].join('\n'),
  flags: {
    lines: { short: 'n', takes: 'NUMBER', about: 'how many lines, up to 10000 (default: 200)' },
    follow: { short: 'f', about: 'go on with what it prints' },
    raw: { about: 'as the program wrote it, at most 1 MiB of what is there' },
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
    if (!/^[1-9]\d*$/.test(lines)) throw new CliError('usage', `--lines takes a number, not "${lines}".`)
    if (isFollowing && isJson && raw) {
      throw new CliError(
        'usage',
        'With --follow, --json has a line in each object, and --raw has no lines: take one of them.',
      )
    }

    await using hub = await connectFrom(args, context)
    // A session of the same name that is started meanwhile is another one.
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
  hub: HubConnection,
  session: string,
  since: number,
  context: CliContext,
  print: (line: string) => void,
): Promise<void> {
  const reader = createLineReader()
  for await (const bytes of outputOf(hub, session, since, context)) {
    for (const line of reader.read(bytes)) print(line)
  }
  for (const line of reader.end()) print(line)
}

async function followRaw(hub: HubConnection, session: string, since: number, context: CliContext): Promise<void> {
  for await (const bytes of outputOf(hub, session, since, context)) await context.write(bytes)
}

/** Until it has ended. */
async function* outputOf(
  hub: HubConnection,
  session: string,
  since: number,
  context: CliContext,
): AsyncGenerator<Uint8Array> {
  for (let offset = since; ;) {
    const { bytes, nextOffset, dropped, hasEnded } = await readOutput(hub, session, offset)
    offset = nextOffset
    if (dropped > 0) context.err(`signalbox: ${dropped} bytes were printed faster than they could be kept.`)
    yield bytes
    if (hasEnded && bytes.length === 0) return
  }
}

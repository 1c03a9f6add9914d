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

const tail = z.object({ log: z.string(), lines: z.number(), offset: z.number() })

export const command = defineCommand({
  takes: '<session>',
  about: [
    'Prints the last lines that a session printed, as text. With --follow it goes on with every line that is finished,',
    'until the session ends. --raw gives the bytes as the program wrote them, colours and all.',
  ].join('\n'),
  flags: {
    lines: { short: 'n', takes: 'NUMBER', about: 'how many lines (default: 200)' },
    follow: { short: 'f', about: 'go on with what it prints' },
    raw: { about: 'as the program wrote it' },
    ...hubFlags,
    ...jsonFlag,
  },
  words: { min: 1, max: 1 },
  examples: [
    'signalbox logs fix-tests -n 50',
    'signalbox logs fix-tests -f',
    'signalbox logs fix-tests --raw >all.txt',
  ],
  async run(args, context) {
    const [name = ''] = args.words
    const lines = args.text('lines') ?? '200'
    const raw = args.has('raw')
    if (!/^[1-9]\d*$/.test(lines)) throw new CliError('usage', `--lines takes a number, not "${lines}".`)
    if (args.has('follow') && args.has('json')) throw new CliError('usage', '--follow has no end, so it is no JSON.')

    await using hub = await connectFrom(args, context)
    const answer = tail.parse(await ask(hub, 'tail_log', { name, lines: Number(lines), raw }))
    if (args.has('json')) {
      context.out(JSON.stringify(answer, null, 2))
      return 'ok'
    }
    if (answer.log !== '') context.out(answer.log)
    if (args.has('follow')) await follow(hub, { session: name, since: answer.offset, raw }, context)
    return 'ok'
  },
})

async function follow(
  hub: HubConnection,
  { session, since, raw }: { session: string; since: number; raw: boolean },
  context: CliContext,
): Promise<void> {
  const reader = createLineReader()
  for (let offset = since; ;) {
    const { bytes, nextOffset, dropped, hasEnded } = await readOutput(hub, session, offset)
    offset = nextOffset
    if (dropped > 0) context.err(`signalbox: ${dropped} bytes were printed faster than they could be kept.`)
    if (raw) await context.write(bytes)
    else for (const line of reader.read(bytes)) context.out(line)
    if (hasEnded && bytes.length === 0) break
  }
  if (!raw) for (const line of reader.end()) context.out(line)
}

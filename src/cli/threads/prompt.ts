/** `signalbox prompt` */
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import type { Frame } from '../../api/thread.ts'
import { threadSchema } from '../../api/thread.ts'
import { isOver, sessionSchema } from '../../api/session.ts'
import { CliError } from '../command/cli-error.ts'
import type { CliContext } from '../command/command.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import type { Exit } from '../command/exit-codes.ts'
import { ask, openHubClient } from '../hub-client/ask-hub.ts'
import type { HubClient } from '../hub-client/hub-client.ts'
import type { FramePrinter } from './frame-printer.ts'
import { createFramePrinter, createJsonPrinter } from './frame-printer.ts'

const promptedSchema = z.looseObject({
  turn: z.string(),
  status: z.string(),
  has_thread: z.boolean(),
  reason: z.string().optional(),
  screen: z.string().optional(),
})

/** How long one read waits for something new. */
const readMs = 10_000
/** An agent may take this long until it can take a prompt. */
const deliverMs = 150_000

export const command = defineCommand({
  takes: '<session> <prompt | ->',
  about: [
    'Gives the agent of a session a prompt, as soon as it can take one, and prints its answer as it comes. "-" reads the',
    'prompt from stdin. Tool calls and thoughts go to stderr, so that stdout has the answer alone. Ctrl-C stops the',
    'printing; the agent continues. Exit code 0 means that the turn was completed.',
  ].join('\n'),
  flags: { 'no-wait': { about: 'return as soon as the agent has the prompt' }, ...hubFlags, ...jsonFlag },
  words: { min: 2, max: 2 },
  examples: [
    'signalbox prompt fix-tests "why does the parser test fail?"',
    'git diff | signalbox prompt reviewer - > review.md',
    'signalbox prompt fix-tests "go on" --json',
  ],
  async run(args, context) {
    const [name = '', given = ''] = args.words
    const text = given === '-' ? (await context.readStdin()).trimEnd() : given
    if (text.trim() === '')
      throw new CliError('usage', `The prompt is empty. Write one, such as signalbox prompt ${name} "run the tests".`)
    using hub = await openHubClient(args, context)
    const input = { session: name, text, wait: false }
    const prompted = promptedSchema.parse(await ask(hub, 'prompt_session', input, { timeoutMs: deliverMs }))
    if (prompted.status === 'not-delivered') {
      if (prompted.screen !== undefined) context.err(prompted.screen)
      throw new CliError('failed', `The prompt was not delivered: ${prompted.reason ?? 'the agent did not take it'}`)
    }
    if (args.has('no-wait')) return 'ok'
    if (!prompted.has_thread) {
      context.err(`signalbox: ${name} has the prompt. Its answer is on its screen: signalbox attach ${name}`)
      return 'ok'
    }
    using printer = args.has('json') ? createJsonPrinter(context) : createFramePrinter(context)
    return await follow(hub, name, prompted.turn, printer, context)
  },
})

/** Prints what the agent says and does until its turn ends. */
async function follow(
  hub: HubClient,
  name: string,
  turn: string,
  printer: FramePrinter,
  context: CliContext,
): Promise<Exit> {
  let since = turn
  let told: string | undefined
  for (;;) {
    const session = sessionSchema.parse(await ask(hub, 'get_session', { name }))
    const { is, reason } = session.activity
    if (is === 'waiting' && reason !== told) {
      told = reason
      printer.note(`waits for you: ${reason ?? 'see its screen'}`)
    }
    if (session.thread === undefined) {
      if (isOver(session.status)) throw new CliError('failed', session.last_message ?? `${name} has ended.`)
      // The agent has not said anything yet, not even the prompt.
      await setTimeout(300)
      continue
    }
    const input = { thread: session.thread, since, timeout_ms: readMs }
    const page = threadSchema.parse(await ask(hub, 'read_thread', input, { timeoutMs: readMs + 15_000 }))
    since = page.cursor
    for (const frame of page.events) await printer.print(frame)
    const end = page.events.find((frame) => frame.type === 'complete')
    if (end) return await finish(end, printer, context)
    if (page.events.length === 0 && isOver(session.status)) {
      throw new CliError('failed', `${name} has ended in the middle of the turn. ${session.last_message ?? ''}`.trim())
    }
  }
}

async function finish(
  { status, reason }: Extract<Frame, { type: 'complete' }>,
  printer: FramePrinter,
  context: CliContext,
): Promise<Exit> {
  await printer.end()
  if (status === 'completed') return 'ok'
  context.err(`signalbox: the turn was ${status}${reason === undefined ? '' : `: ${reason}`}`)
  return 'failed'
}

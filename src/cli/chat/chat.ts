/** `signalbox chat` */
import { z } from 'zod'
import type { ChatMessage, ChatView } from '../../api/chat.ts'
import { chatSchema } from '../../api/chat.ts'
import { isOver, sessionSchema } from '../../api/session.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { ask, openHubClient } from '../hub-client/ask-hub.ts'
import type { HubClient } from '../hub-client/hub-client.ts'
import { visibleText } from '../terminal-output/visible-text.ts'

const postedSchema = z.looseObject({ id: z.int() })

/** How long one read waits for something new. */
const readMs = 10_000

export const command = defineCommand({
  takes: '<session> [text | -]',
  about: [
    'Prints what the agent of a session has written in its chat and no person has read yet. With a text, it first leaves',
    'that message for the agent, which reads it when it looks at its chat. "-" reads the text from stdin. With --follow',
    'it also prints every further message, of both sides, until the session ends. --json prints one object per message.',
  ].join('\n'),
  flags: { follow: { short: 'f', about: 'print further messages as they come' }, ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 2 },
  examples: [
    'signalbox chat fix-tests',
    'signalbox chat fix-tests "use the staging database"',
    'signalbox chat fix-tests --follow',
  ],
  async run(args, context) {
    const [name = '', given] = args.words
    const text = given === '-' ? (await context.readStdin()).trimEnd() : given
    if (text?.trim() === '')
      throw new CliError('usage', `The message is empty. Write one, such as signalbox chat ${name} "well done".`)
    using hub = await openHubClient(args, context)
    // By id: a session that starts meanwhile may get the same name.
    const { id: session } = sessionSchema.parse(await ask(hub, 'get_session', { name }))
    const print = (message: ChatMessage) => context.out(args.has('json') ? JSON.stringify(message) : lineOf(message))

    const posted = text === undefined ? undefined : await ask(hub, 'post_chat', { session, content: text })
    const own = posted && postedSchema.parse(posted).id
    const { head, printed } = await printUnread(hub, session, print)
    if (args.has('follow')) await follow(hub, session, head, print)
    else if (own !== undefined)
      context.err(`signalbox: ${name} has the message. It reads it when it looks at its chat.`)
    else if (printed === 0) context.err('signalbox: there are no new messages.')
    return 'ok'
  },
})

async function printUnread(hub: HubClient, session: string, print: (message: ChatMessage) => void) {
  let printed = 0
  for (;;) {
    const { messages, has_more: hasMore, head } = await read(hub, { session })
    for (const message of messages) print(message)
    printed += messages.length
    if (!hasMore) return { head, printed }
  }
}

async function follow(
  hub: HubClient,
  session: string,
  head: number,
  print: (message: ChatMessage) => void,
): Promise<void> {
  let since = head
  for (;;) {
    const { status } = sessionSchema.parse(await ask(hub, 'get_session', { name: session }))
    const { messages } = await read(hub, { session, since, timeout_ms: isOver(status) ? 0 : readMs })
    for (const message of messages) print(message)
    since = messages.at(-1)?.id ?? since
    if (messages.length === 0 && isOver(status)) return
  }
}

async function read(hub: HubClient, input: Readonly<Record<string, unknown>>): Promise<ChatView> {
  return chatSchema.parse(await ask(hub, 'read_chat', input, { timeoutMs: readMs + 15_000 }))
}

/** Further lines of a message are indented, so that none looks like the message of another. */
function lineOf({ side, from, content, replaces }: ChatMessage): string {
  const corrects = replaces === undefined ? '' : ' (instead of an earlier message)'
  return `${visibleText(from ?? side)}${corrects}: ${content.trimEnd().replaceAll(/\r?\n/g, '\n  ')}`
}

/** `signalbox hook`: for agents whose hooks are commands. It gives the hook's message to the hub, and prints the answer. */
import { HubError } from '../../base/hub-error.ts'
import type { HttpAnswer } from '../../client/client.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { createSend } from '../hub-client/send-to-hub.ts'

export const command = defineCommand({
  takes: '<name>',
  about: [
    'Reads the message of an agent’s hook, a JSON object, from stdin, and prints the answer of the hub. The command works only',
    'inside a session, where SIGNALBOX_URL and SIGNALBOX_TOKEN are set. It waits as long as a person takes to answer.',
  ].join('\n'),
  flags: {},
  words: { min: 1, max: 1 },
  examples: ['signalbox hook claude < message.json'],
  async run(args, context) {
    const [name = ''] = args.words
    const { SIGNALBOX_URL: url, SIGNALBOX_TOKEN: token, SIGNALBOX_HUB_SOCKET: socket } = await context.readEnvironment()
    // Not "usage": some agents read exit code 2 of a hook as an instruction.
    if (!url || !token)
      throw new CliError(
        'failed',
        'This is not a session: SIGNALBOX_URL and SIGNALBOX_TOKEN are not set. Run this command inside a session.',
      )
    // A hook that fails could let the agent go on without the policy, so it passes on what it can read.
    const body = await context.readStdin({ replacesWrongBytes: true })
    const { status, text } = await post({ url, token, socket, name, body })
    if (status !== 200) throw new CliError('failed', `The hub answered with status ${status}: ${text.trim()}`)
    context.out(text.trim())
    return 'ok'
  },
})

interface Post {
  readonly url: string
  readonly token: string
  readonly socket: string | undefined
  readonly name: string
  readonly body: string
}

async function post({ url, token, socket, name, body }: Post): Promise<{ status: number; text: string }> {
  const address = new URL(`/hooks/${encodeURIComponent(name)}`, url).href
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  try {
    const answer = await createSend(socket || undefined)(address, {
      method: 'POST',
      headers,
      body,
      signal: new AbortController().signal,
    })
    return { status: answer.status, text: await textOf(answer) }
  } catch (error) {
    if (error instanceof HubError) throw error
    throw new CliError('unreachable', `No hub answers at ${url}. Start it with "signalbox up".`, { cause: error })
  }
}

async function textOf({ body }: HttpAnswer): Promise<string> {
  const reader = body?.getReader()
  const chunks: Uint8Array[] = []
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {}
    if (value) chunks.push(value)
    if (done) return Buffer.concat(chunks).toString()
  }
}

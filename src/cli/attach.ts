/** `signalbox attach` */
import { readlinkSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { sessionSchema } from '../api/session.ts'
import type { Session } from '../api/session.ts'
import { ask, findHubFrom } from './ask-hub.ts'
import type { HubArguments } from './ask-hub.ts'
import { attachSession } from './attach/attach-session.ts'
import { readDetachKey } from './attach/detach-key.ts'
import { assertOwnTerminal } from './attach/own-terminal.ts'
import { createVisit } from './attach/visit.ts'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'
import type { CliContext } from './command.ts'
import { hubFlags } from './common-flags.ts'
import type { Exit } from './exit-codes.ts'
import type { HubConnection } from './hub-client.ts'

export const command = defineCommand({
  takes: '<session>',
  about: [
    'Shows a session on this terminal, as if its program ran here. Ctrl-] leaves it; the session goes on. It takes the',
    'size of this window. One person types at a time, others read along.',
  ].join('\n'),
  flags: {
    'read-only': { about: 'watch, and type nothing' },
    'take-over': { about: 'type, even if somebody else does now; they read along then' },
    'detach-key': { takes: 'KEY', about: 'what leaves the session (default: ctrl-])' },
    ...hubFlags,
  },
  words: { min: 1, max: 1 },
  examples: [
    'signalbox attach fix-tests',
    'signalbox attach fix-tests --read-only',
    `signalbox attach fix-tests --detach-key 'ctrl-\\'`,
  ],
  async run(args, context) {
    if (args.has('read-only') && args.has('take-over')) {
      throw new CliError('usage', 'Either --read-only or --take-over: who watches does not type.')
    }
    return attach(args, context, {
      name: args.words[0] ?? '',
      isReadOnly: args.has('read-only'),
      takeOver: args.has('take-over'),
      detachKey: args.text('detach-key') ?? defaultDetachKey,
    })
  },
})

const defaultDetachKey = 'ctrl-]'

export interface AttachRequest {
  readonly name: string
  readonly isReadOnly?: boolean
  readonly takeOver?: boolean
  readonly detachKey?: string
}

export async function attach(args: HubArguments, context: CliContext, request: AttachRequest): Promise<Exit> {
  const { isReadOnly = false, takeOver = false } = request
  const detachKey = readDetachKey(request.detachKey ?? defaultDetachKey)
  assertOwnTerminal('attach')
  const { connect } = await findHubFrom(args, context)
  const { id, name } = await findSession(connect, request.name)
  const viewer = nameOfViewer()
  const ending = await attachSession({
    name,
    viewer,
    isReadOnly,
    takeOver,
    detachKey,
    // By its id: the name may mean another session by the time a lost hub is back.
    visit: async () => createVisit(await connect(), id, viewer),
  })
  context.err(
    ending === 'detached'
      ? `Left ${name}; it goes on. "signalbox attach ${name}" comes back.`
      : await tellEnd(connect, id),
  )
  return 'ok'
}

async function findSession(connect: () => Promise<HubConnection>, name: string): Promise<Session> {
  await using hub = await connect()
  return sessionSchema.parse(await ask(hub, 'get_session', { name }))
}

/** The hub hears of the end a moment after the last byte. */
async function tellEnd(connect: () => Promise<HubConnection>, id: string): Promise<string> {
  await using hub = await connect()
  await ask(hub, 'wait_session', { name: id, for: 'exit', timeout_ms: 5_000 })
  return endOf(sessionSchema.parse(await ask(hub, 'get_session', { name: id })))
}

function endOf({ name, exit_code: code, signal }: Session): string {
  if (signal !== undefined) return `${name} was ended by ${signal}.`
  return code === undefined ? `${name} has ended.` : `${name} has ended with exit code ${code}.`
}

/** What others read when we type. The same again from the same window, so that one can leave and come back at once. */
function nameOfViewer(): string {
  return `${userInfo().username}@${hostname()} ${nameOfWindow()}`.slice(-64)
}

function nameOfWindow(): string {
  try {
    return readlinkSync('/proc/self/fd/0').replace('/dev/', '')
  } catch {
    return `process ${process.pid}`
  }
}

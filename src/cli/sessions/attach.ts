/** `signalbox attach` */
import { readlinkSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { sessionSchema } from '../../api/session.ts'
import type { Session } from '../../api/session.ts'
import { ask, findHubFrom } from '../hub-client/ask-hub.ts'
import type { HubArguments } from '../hub-client/ask-hub.ts'
import { attachSession } from '../attach/attach-session.ts'
import { readDetachKey } from '../attach/detach-key.ts'
import { assertIsTerminal } from '../attach/raw-terminal.ts'
import { createAttachment } from '../attach/attachment.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import type { CliContext } from '../command/command.ts'
import { hubFlags } from '../command/common-flags.ts'
import type { Exit } from '../command/exit-codes.ts'
import type { HubClient } from '../hub-client/hub-client.ts'
import { resumeHint } from './resume-hint.ts'

export const command = defineCommand({
  takes: '<session>',
  about: [
    'Shows a session on this terminal, as if its program ran here. Ctrl-] detaches you; the session keeps running. The',
    'session takes the size of this window. One person types at a time, the others watch. The program cannot set your',
    'clipboard (OSC 52) unless you allow it with --clipboard.',
  ].join('\n'),
  flags: {
    'read-only': { about: 'watch without typing' },
    'take-over': { about: 'type even if another person is typing; they can only watch then' },
    clipboard: { about: 'let the program set the clipboard' },
    'detach-key': { takes: 'KEY', about: 'the key that detaches you (default: ctrl-])' },
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
      throw new CliError('usage', '--read-only does not go with --take-over. Leave one of them out.')
    }
    return attach(args, context, {
      name: args.words[0] ?? '',
      isReadOnly: args.has('read-only'),
      takeOver: args.has('take-over'),
      clipboard: args.has('clipboard'),
      detachKey: args.text('detach-key') ?? defaultDetachKey,
    })
  },
})

const defaultDetachKey = 'ctrl-]'

export interface AttachRequest {
  readonly name: string
  readonly isReadOnly?: boolean
  readonly takeOver?: boolean
  readonly clipboard?: boolean
  readonly detachKey?: string
}

export async function attach(args: HubArguments, context: CliContext, request: AttachRequest): Promise<Exit> {
  const { isReadOnly = false, takeOver = false, clipboard = false } = request
  const detachKey = readDetachKey(request.detachKey ?? defaultDetachKey)
  assertIsTerminal('attach')
  const { connect } = await findHubFrom(args, context)
  const { id, name } = await findSession(connect, request.name)
  const viewer = viewerName()
  const ending = await attachSession({
    name,
    viewer,
    isReadOnly,
    takeOver,
    clipboard,
    detachKey,
    // Uses the id: the name may mean another session by the time a lost hub is back.
    attach: () => createAttachment(connect(), id, viewer),
  })
  context.err(
    ending === 'detached'
      ? `Detached from ${name}, which keeps running. "signalbox attach ${name}" attaches again.`
      : await describeEnd(connect, id),
  )
  return 'ok'
}

async function findSession(connect: () => HubClient, name: string): Promise<Session> {
  using hub = connect()
  return sessionSchema.parse(await ask(hub, 'get_session', { name }))
}

/** Waits first, because the hub learns of the end a moment after the last byte. */
async function describeEnd(connect: () => HubClient, id: string): Promise<string> {
  using hub = connect()
  await ask(hub, 'wait_session', { name: id, for: 'exit', timeout_ms: 5_000 })
  return endOf(sessionSchema.parse(await ask(hub, 'get_session', { name: id })))
}

function endOf(session: Session): string {
  const { name, exit_code: code, signal } = session
  const byCode = code === undefined ? 'has ended.' : `has ended with exit code ${code}.`
  return `${name} ${signal === undefined ? byCode : `was ended by ${signal}.`} ${resumeHint(session)}`.trimEnd()
}

/** The name that other viewers see. It stays the same for a window, so that a person can detach and attach again at once. */
function viewerName(): string {
  return `${userInfo().username}@${hostname()} ${windowName()}`.slice(-64)
}

function windowName(): string {
  try {
    return readlinkSync('/proc/self/fd/0').replace('/dev/', '')
  } catch {
    return `process ${process.pid}`
  }
}

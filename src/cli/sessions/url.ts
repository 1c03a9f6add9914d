/** `signalbox url`: the link to the page of a session, or a QR code that logs a phone in. */
import { z } from 'zod'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import type { CliContext } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { askHub } from '../hub-client/ask-hub.ts'
import { drawQrCode } from '../terminal-output/qr-code.ts'

const sessionAnswer = z.object({ session_url: z.string() })
const loginAnswer = z.object({ login_url: z.string(), expires_at: z.string() })

export const command = defineCommand({
  takes: '[session]',
  about: [
    'Prints the link to the live page of a session. The link contains no token: the person who opens it has to log in.',
    'With --qr it prints a QR code for a phone, whose link logs one device in, once, within five minutes. Without a session',
    'that link leads to the list of sessions. The phone gets a token of its own, which "signalbox token list" shows.',
  ].join('\n'),
  flags: {
    qr: { about: 'print a QR code with a one-time login' },
    ...hubFlags,
    ...jsonFlag,
  },
  words: { min: 0, max: 1 },
  examples: ['signalbox url fix-tests', 'signalbox url --qr', 'signalbox url fix-tests --qr'],
  async run(args, context) {
    const [session] = args.words
    if (args.has('qr')) {
      const login = loginAnswer.parse(
        await askHub('create_login', session === undefined ? {} : { session }, args, context),
      )
      if (args.has('json')) context.out(JSON.stringify(login, null, 2))
      else printLogin(login, context)
      return 'ok'
    }
    if (session === undefined) throw new CliError('usage', 'Name a session, or add --qr for a login to the first page.')
    const answer = sessionAnswer.parse(await askHub('get_session_url', { name: session }, args, context))
    context.out(args.has('json') ? JSON.stringify(answer, null, 2) : answer.session_url)
    return 'ok'
  },
})

function printLogin(
  { login_url: link, expires_at: expiresAt }: z.output<typeof loginAnswer>,
  context: CliContext,
): void {
  const display = context.display()
  const { lines, columns } = drawQrCode(link, { hasColours: display?.hasColours ?? false })
  if (display && display.columns < columns) {
    context.err(`The terminal is too narrow for the QR code, which needs ${columns} columns.`)
  } else {
    context.out(lines.join('\n'))
  }
  context.out(link)
  context.err(
    `The link logs one device in, once, until ${expiresAt.slice(11, 16)} UTC. Show it only to people who may do everything that you may do.`,
  )
}

/** The hub's answer about a new session, and its output for a person. */
import { z } from 'zod'
import { sessionSchema } from '../../api/session.ts'
import type { CliContext } from '../command/command.ts'
import { inShellWords } from '../hub-client/shell-words.ts'

export const createdSchema = sessionSchema.extend({
  prompt: z.object({ delivered: z.boolean(), reason: z.string().optional(), screen: z.string().optional() }).optional(),
  met: z.boolean().optional(),
  screen: z.string().optional(),
})
export type Created = z.output<typeof createdSchema>

/** The start of a program and the delivery of a prompt can take long. */
export const startWithinMs = 90_000

/** The hub ends a set-up or a tear-down of a worktree that takes longer. */
export const scriptWithinMs = 10 * 60_000

export function reportCreated(
  session: Created,
  context: CliContext,
  { isJson, isAttached }: { readonly isJson: boolean; readonly isAttached: boolean },
): 'ok' | 'not-met' {
  const { prompt, met, last_message, governed } = session
  if (isJson) context.out(JSON.stringify(session, null, 2))
  else if (!isAttached) report(session, context)
  if (!isJson && prompt?.delivered !== false && last_message !== undefined) context.err(`signalbox: ${last_message}`)
  // An agent that has just started has proved nothing yet. That is no news.
  if (!isJson && governed?.is === 'no' && !governed.unproven) {
    context.err(`signalbox: not governed: ${governed.reason ?? 'the policy does not cover the agent.'}`)
  }
  if (prompt?.delivered === false) {
    context.err(
      `signalbox: the prompt was not delivered: ${inShellWords(prompt.reason ?? 'the program did not accept it.')}`,
    )
    if (prompt.screen !== undefined) context.err(prompt.screen)
  }
  return met === false || prompt?.delivered === false ? 'not-met' : 'ok'
}

function report({ name, screen, met, prompt, terminal, session_url: url }: Created, context: CliContext): void {
  context.out(name)
  if (screen !== undefined && prompt?.screen === undefined) context.out(screen)
  if (met === false) context.err('signalbox: the wait timed out; the session keeps running.')
  if (met !== undefined) return
  context.err(
    terminal
      ? `Watch it with "signalbox attach ${name}" or at ${url}`
      : `Talk to it with "signalbox prompt ${name} TEXT", and read it with "signalbox thread ${name}"`,
  )
}

/**
 * Types into a session for callers that know nothing about its program. Does not type while the session waits for a
 * person, since Enter would accept the marked choice of its dialog. If the text answers the menu on the screen, the
 * menu is answered.
 */
import type { Activity } from '../../api/session.ts'
import { HubError } from '../../base/hub-error.ts'
import type { Menu, Pattern, Terminal } from '../../terminal/terminal.ts'
import { choiceFor } from '../../terminal/terminal.ts'
import type { TypingOptions } from '../port/driver.ts'
import { answerMenu, menuOn } from './answer-menu.ts'
import type { PromptedSession } from './prompt.ts'
import { screenTail } from './screen-tail.ts'
import type { Typed } from './typing.ts'
import { type } from './typing.ts'

export interface TypedSession extends Pick<PromptedSession, 'terminal' | 'currentActivity'> {
  readonly name: string
  /** The placeholder that the program shows instead of a long text. */
  readonly pasted: Pattern | undefined
}

export async function typeInto(
  session: TypedSession,
  text: string,
  { force, ...options }: TypingOptions,
): Promise<Typed> {
  const { terminal, pasted, currentActivity } = session
  if (force) return type(terminal, text, { ...options, pasted })
  const activity = await currentActivity()
  if (activity.is === 'waiting') {
    const menu = menuOn(terminal)
    const choice = menu && choiceFor(menu, text)
    if (menu && choice !== undefined) return answerMenu(terminal, menu, choice, options)
    throw new HubError('conflict', whyNotTyped(session, activity, menu, terminal))
  }
  const mayEnter = async () => (await currentActivity()).is !== 'waiting'
  const typed = await type(terminal, text, { ...options, pasted, mayEnter })
  if (options.enter && !typed.isEntered) {
    throw new HubError('conflict', whyNotEntered(session, await currentActivity(), typed, terminal))
  }
  return typed
}

function whyNotTyped(
  { name }: TypedSession,
  { reason, approval }: Pick<Activity, 'reason'> & { readonly approval?: string },
  menu: Menu | undefined,
  terminal: Terminal,
): string {
  const choices = menu?.choices.map(({ number, label }) => (number === undefined ? label : `${number}. ${label}`))
  const answer = choices ? ` Answer with the number or the label of a choice: ${choices.join(' | ')}.` : ''
  const decideFirst =
    approval === undefined ? '' : ` Decide its approval ${approval} first: signalbox approvals, or decide_approval.`
  return [
    `"${name}" waits for a person${reason === undefined ? '' : ` (${reason})`}. Nothing was typed.${decideFirst}${answer}`,
    `To type it anyway, use "force": true (--force). To press keys, use send_keys.`,
    screenTail(terminal),
  ].join('\n')
}

function whyNotEntered(
  { name }: TypedSession,
  { is, reason }: Pick<Activity, 'is' | 'reason'>,
  { echo }: Typed,
  terminal: Terminal,
): string {
  const asks = is === 'waiting' ? ` It waits for a person${reason === undefined ? '' : `: ${reason}`}.` : ''
  const why =
    echo === 'missing'
      ? `"${name}" got the text but does not show it, so the hub did not press Enter.${asks}`
      : `"${name}" started to wait for a person while the hub typed, so the hub did not press Enter.${asks}`
  return [
    why,
    'If Enter is right, press it with send_keys. To type and press Enter without checking, use "force": true (--force).',
    screenTail(terminal),
  ].join('\n')
}

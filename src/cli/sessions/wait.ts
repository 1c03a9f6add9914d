/** `signalbox wait` */
import { maxWaitMs, waitKinds, waitOutputSchema } from '../../api/wait.ts'
import type { WaitKind, WaitOutput } from '../../api/wait.ts'
import { ask, openHubClient } from '../hub-client/ask-hub.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { readDuration } from '../command/duration-flag.ts'
import type { HubClient } from '../hub-client/hub-client.ts'

export const command = defineCommand({
  takes: '<session> [value]',
  about: [
    'Waits until a session shows a text, shows a line that matches a regular expression (RE2), is idle, waits for a person,',
    'or exits. Agents and shells are idle when they have nothing to do. Any other command counts as working until it has',
    'ended. Exit code 0 means that the condition was met, 8 that it was not met in time or cannot be met any more.',
  ].join('\n'),
  flags: {
    for: { takes: 'WHAT', about: `${waitKinds.join(', ')} (default: text if there is a value, else idle)` },
    timeout: { takes: 'TIME', about: 'how long to wait: 30s, 5m, 2h (default: 30s)' },
    ...hubFlags,
    ...jsonFlag,
  },
  words: { min: 1, max: 2 },
  examples: [
    'signalbox wait fix-tests --for text "All tests passed" --timeout 10m',
    'signalbox wait fix-tests --for waiting',
    'signalbox wait build --timeout 1h',
  ],
  async run(args, context) {
    const [name = '', value] = args.words
    const condition = readCondition(args.text('for') ?? (value === undefined ? 'idle' : 'text'), value)
    const timeoutMs = readDuration(args, 'timeout', '30s')
    using hub = await openHubClient(args, context)
    const outcome = await waitFor(hub, name, condition, timeoutMs)
    context.out(args.has('json') ? JSON.stringify(outcome, null, 2) : describeOutcome(name, condition, outcome))
    return outcome.met ? 'ok' : 'not-met'
  },
})

interface Condition {
  readonly for: WaitKind
  readonly value?: string
}

/** Reads a condition from the command line. */
export function readCondition(what: string, value: string | undefined): Condition {
  const kind = waitKinds.find((each) => each === what)
  if (kind === undefined)
    throw new CliError('usage', `Cannot wait for "${what}". Choose one of ${waitKinds.join(', ')}.`)
  if (takesValue(kind) && !value)
    throw new CliError('usage', `Waiting for ${kind} needs a value. Add the ${kind} to wait for.`)
  if (!takesValue(kind) && value !== undefined) {
    throw new CliError('usage', `Waiting for ${kind} takes no value. Leave "${value}" out.`)
  }
  return { for: kind, ...(value !== undefined && { value }) }
}

function takesValue(kind: WaitKind): boolean {
  return kind === 'text' || kind === 'regex'
}

/** Makes as many calls as needed. Output between two calls counts too. */
async function waitFor(hub: HubClient, name: string, condition: Condition, timeoutMs: number): Promise<WaitOutput> {
  const until = Date.now() + timeoutMs
  let since: number | undefined
  for (;;) {
    const remainingMs = Math.max(0, until - Date.now())
    const callMs = Math.min(remainingMs, maxWaitMs)
    const input = { name, ...condition, timeout_ms: callMs, ...(since !== undefined && { since }) }
    const outcome = waitOutputSchema.parse(await ask(hub, 'wait_session', input, { timeoutMs: callMs + 15_000 }))
    if (outcome.reason !== 'timeout' || callMs === remainingMs) return outcome
    if (takesValue(condition.for)) since ??= outcome.offset
  }
}

function describeOutcome(name: string, { for: kind }: Condition, { met, reason, activity }: WaitOutput): string {
  if (met) {
    const question = kind === 'waiting' && activity.reason ? `: ${activity.reason}` : ''
    return `${name} ${predicates[reason === 'exit' ? 'exit' : kind]}${question}`
  }
  return reason === 'timeout' ? `${name}: timed out` : `${name} has ended, and the condition was not met`
}

const predicates: Readonly<Record<WaitKind, string>> = {
  text: 'has printed the text',
  regex: 'has printed a matching line',
  idle: 'is idle',
  waiting: 'waits for a person',
  exit: 'has ended',
}

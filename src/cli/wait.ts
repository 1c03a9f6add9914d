/** `signalbox wait` */
import { maxWaitMs, waitKinds, waitOutputSchema } from '../api/wait.ts'
import type { WaitKind, WaitOutput } from '../api/wait.ts'
import { ask, connectFrom } from './ask-hub.ts'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { readDuration } from './duration-flag.ts'
import type { HubConnection } from './hub-client.ts'

export const command = defineCommand({
  takes: '<session> [value]',
  about: [
    'Waits until a session shows a text, or a line that matches a regular expression (RE2), is idle, waits for a person,',
    'or exits. Agents and shells are idle when they have nothing to do; any other command works until it has ended, and is',
    'idle then. Exit code 0 says that it came, 8 that it did not come in time or cannot come any more.',
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
    await using hub = await connectFrom(args, context)
    const outcome = await waitFor(hub, name, condition, timeoutMs)
    context.out(args.has('json') ? JSON.stringify(outcome, null, 2) : sentenceOn(name, condition, outcome))
    return outcome.met ? 'ok' : 'not-met'
  },
})

interface Condition {
  readonly for: WaitKind
  readonly value?: string
}

/** As it stands on a command line. */
export function readCondition(what: string, value: string | undefined): Condition {
  const kind = waitKinds.find((each) => each === what)
  if (kind === undefined) throw new CliError('usage', `"${what}" cannot be waited for: ${waitKinds.join(', ')} can.`)
  if (takesValue(kind) && !value) throw new CliError('usage', `Say which ${kind} to wait for.`)
  if (!takesValue(kind) && value !== undefined) {
    throw new CliError('usage', `To wait for ${kind} takes no value such as "${value}".`)
  }
  return { for: kind, ...(value !== undefined && { value }) }
}

function takesValue(kind: WaitKind): boolean {
  return kind === 'text' || kind === 'regex'
}

/** In as many calls as it takes; what is printed between two of them counts too. */
async function waitFor(hub: HubConnection, name: string, condition: Condition, timeoutMs: number): Promise<WaitOutput> {
  const until = Date.now() + timeoutMs
  let since: number | undefined
  for (;;) {
    const restMs = Math.max(0, until - Date.now())
    const callMs = Math.min(restMs, maxWaitMs)
    const input = { name, ...condition, timeout_ms: callMs, ...(since !== undefined && { since }) }
    const outcome = waitOutputSchema.parse(await ask(hub, 'wait_session', input, { timeoutMs: callMs + 15_000 }))
    if (outcome.reason !== 'timeout' || callMs === restMs) return outcome
    if (takesValue(condition.for)) since ??= outcome.offset
  }
}

function sentenceOn(name: string, { for: kind }: Condition, { met, reason, activity }: WaitOutput): string {
  if (met)
    return `${name} ${reason === 'exit' ? come.exit : come[kind]}${kind === 'waiting' && activity.reason ? `: ${activity.reason}` : ''}`
  return reason === 'timeout' ? `${name}: not in time` : `${name} has ended without it`
}

const come: Readonly<Record<WaitKind, string>> = {
  text: 'has printed it',
  regex: 'has printed it',
  idle: 'is idle',
  waiting: 'waits for a person',
  exit: 'has ended',
}

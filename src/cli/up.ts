/** `signalbox up`: starts the hub, says where it is, and stops it on a signal. */
import { HubError } from '../base/hub-error.ts'
import { settings } from '../config/config.ts'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'
import type { CliContext, Flag, RunningHub } from './command.ts'
import { loadAndWarn } from './common-flags.ts'
import { isLoopback } from '../base/loopback.ts'

export const command = defineCommand({
  about: [
    'Starts the hub and stays in the foreground. Once it is ready it prints one line with the address to open in a',
    'browser, with the token in it. SIGTERM or Ctrl-C lets running calls end and stops it; a second one stops at once.',
    '"signalbox config" shows every setting and what it is; docs/configuration.md explains them.',
  ].join('\n'),
  flags: flagsOfSettings(),
  examples: ['signalbox up', 'signalbox up --port 0 --home /tmp/try', 'signalbox up --host 0.0.0.0 --log-level debug'],
  async run(args, context) {
    const flags = Object.fromEntries(
      settings.flatMap(({ flag }) => (flag === undefined ? [] : [[flag, args.text(flag)]])),
    )
    const loaded = await loadAndWarn(flags, context)
    const { host } = loaded.config
    if (!isLoopback(host)) {
      context.err(
        `signalbox: warning: ${host} is no loopback address: other machines can reach the hub, and tokens cross the network in the clear. Put a proxy with TLS before it.`,
      )
    }
    const hub = await context.startHub(loaded).catch(explainHeld)
    // Before the line is out: whoever reads it may send a signal at once.
    const stopped = untilStopped(hub, context)
    context.out(`Signalbox is ready: ${hub.loginUrl ?? hub.url}`)
    await stopped
    return 'ok'
  },
})

function flagsOfSettings(): Record<string, Flag> {
  return Object.fromEntries(
    settings.flatMap(({ flag, description, defaultValue }) => {
      if (flag === undefined) return []
      const otherwise = defaultValue?.toString()
      // Descriptions are written for the documentation; a terminal shows no code spans.
      const about = description.replaceAll('`', '') + (otherwise ? ` (default: ${otherwise})` : '')
      return [[flag, { takes: 'VALUE', about }]]
    }),
  )
}

function explainHeld(error: unknown): never {
  if (error instanceof HubError && error.code === 'conflict')
    throw new CliError('held', error.message, { cause: error })
  throw error
}

async function untilStopped(hub: RunningHub, context: CliContext): Promise<void> {
  const { promise: failed, reject } = Promise.withResolvers<never>()
  let asked = false
  const onSignal = () => {
    // Whoever asks twice has lost patience.
    if (asked) process.exit(130)
    asked = true
    context.err('signalbox: stopping; once more to stop at once')
    hub.stop().catch(reject)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  try {
    await Promise.race([hub.stopped, failed])
  } finally {
    process.off('SIGTERM', onSignal)
    process.off('SIGINT', onSignal)
  }
}

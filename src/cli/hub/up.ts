/** `signalbox up`: starts the hub, prints its address, and stops it on a signal. */
import type { RunningHub } from '../../api/running-hub.ts'
import { HubError } from '../../base/hub-error.ts'
import { isLoopback } from '../../base/loopback.ts'
import { settings } from '../../config/config.ts'
import { CliError } from '../command/cli-error.ts'
import type { CliContext, Flag } from '../command/command.ts'
import { defineCommand } from '../command/command.ts'
import { loadAndWarn } from '../command/common-flags.ts'

export const command = defineCommand({
  about: [
    'Starts the hub in the foreground. When it is ready, it prints one line with the address to open in a browser, which',
    'includes a token. SIGTERM or Ctrl-C lets running calls finish and stops the hub; a second one stops it at once.',
    '"signalbox config" shows the value of every setting; docs/configuration.md explains them.',
  ].join('\n'),
  flags: flagsOfSettings(),
  examples: ['signalbox up', 'signalbox up --port 0 --home /tmp/try', 'signalbox up --host 0.0.0.0 --log-level debug'],
  async run(args, context) {
    const flags = Object.fromEntries(
      settings.flatMap(({ flag }) => (flag === undefined ? [] : [[flag, args.text(flag)]])),
    )
    const loaded = await loadAndWarn(flags, context)
    const { host, tlsCert } = loaded.config
    if (!isLoopback(host) && tlsCert === undefined) {
      context.err(
        `signalbox: warning: ${host} is not a loopback address. Other machines can reach the hub, and tokens cross the network unencrypted. Set SIGNALBOX_TLS_CERT and SIGNALBOX_TLS_KEY, or put a proxy with TLS in front of it.`,
      )
    }
    const hub = await context.startHub(loaded).catch(explainConflict)
    // Listens before the line is printed, because its reader may send a signal at once.
    const stopped = untilStopped(hub, context)
    context.out(`Signalbox is ready: ${hub.loginUrl}`)
    await stopped
    return 'ok'
  },
})

function flagsOfSettings(): Record<string, Flag> {
  return Object.fromEntries(
    settings.flatMap(({ flag, description, fallback }) => {
      if (flag === undefined) return []
      const defaultValue = fallback?.toString()
      // Descriptions are Markdown for the documentation, and a terminal cannot show code spans.
      const about = description.replaceAll('`', '') + (defaultValue ? ` (default: ${defaultValue})` : '')
      return [[flag, { takes: 'VALUE', about }]]
    }),
  )
}

function explainConflict(error: unknown): never {
  if (error instanceof HubError && error.code === 'conflict')
    throw new CliError('directory-in-use', error.message, { cause: error })
  throw error
}

async function untilStopped(hub: RunningHub, context: CliContext): Promise<void> {
  const { promise: failed, reject } = Promise.withResolvers<never>()
  let isStopping = false
  const onSignal = () => {
    // A second signal means: do not wait.
    if (isStopping) process.exit(130)
    isStopping = true
    context.err('signalbox: stopping. Send the signal again to stop at once.')
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

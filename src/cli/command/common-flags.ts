/** The flags that several commands share, and the configuration that they lead to. */
import { loadConfig } from '../../config/config.ts'
import type { ConfigFlags, LoadedConfig } from '../../config/config.ts'
import type { Arguments, CliContext, Flag } from './command.ts'

export const homeFlag = {
  home: { takes: 'DIR', about: 'the data directory (default: SIGNALBOX_HOME, else ~/.signalbox)' },
} as const satisfies Record<string, Flag>

export const hubFlags = {
  ...homeFlag,
  url: {
    takes: 'URL',
    about: 'the endpoint (default: SIGNALBOX_URL, else the hub of the data directory, through its socket)',
  },
  'token-file': { takes: 'FILE', about: 'a file with the token (default: SIGNALBOX_TOKEN, else DIR/token)' },
} as const satisfies Record<string, Flag>

export const jsonFlag = { json: { about: 'print JSON' } } as const satisfies Record<string, Flag>

/** Prints the warnings of the configuration to stderr. */
export async function loadAndWarn(flags: ConfigFlags, context: CliContext): Promise<LoadedConfig> {
  const loaded = loadConfig({ flags, env: await context.readEnvironment() })
  for (const warning of loaded.warnings) context.err(`signalbox: warning: ${warning}`)
  return loaded
}

/** For commands whose only configuration flag is the data directory. */
export function loadFor(args: Arguments<'home'>, context: CliContext): Promise<LoadedConfig> {
  return loadAndWarn({ home: args.text('home') }, context)
}

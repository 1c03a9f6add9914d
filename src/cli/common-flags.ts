/** Flags that several commands have, and the configuration as they ask for it. */
import { loadConfig } from '../config/config.ts'
import type { ConfigFlags, LoadedConfig } from '../config/config.ts'
import type { Arguments, CliContext, Flag } from './command.ts'

export const homeFlag = {
  home: { takes: 'DIR', about: 'the data directory (default: SIGNALBOX_HOME, or ~/.signalbox)' },
} as const satisfies Record<string, Flag>

export const hubFlags = {
  ...homeFlag,
  url: { takes: 'URL', about: 'the endpoint (default: SIGNALBOX_URL, or that of the hub of the data directory)' },
  'token-file': { takes: 'FILE', about: 'a file that holds the token (default: SIGNALBOX_TOKEN, or DIR/token)' },
} as const satisfies Record<string, Flag>

export const jsonFlag = { json: { about: 'print JSON' } } as const satisfies Record<string, Flag>

/** Warns on stderr of what is odd but harmless. */
export async function loadAndWarn(flags: ConfigFlags, context: CliContext): Promise<LoadedConfig> {
  const loaded = loadConfig({ flags, env: await context.readEnvironment() })
  for (const warning of loaded.warnings) context.err(`signalbox: warning: ${warning}`)
  return loaded
}

/** For the commands whose only setting from the command line is the data directory. */
export function loadFor(args: Arguments<'home'>, context: CliContext): Promise<LoadedConfig> {
  return loadAndWarn({ home: args.text('home') }, context)
}

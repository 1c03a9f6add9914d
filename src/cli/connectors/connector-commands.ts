/** The connector commands that make one tool call. */
import { z } from 'zod'
import { bindingSchema } from '../../api/connector.ts'
import { CliError } from '../command/cli-error.ts'
import { readInteger } from '../command/number-flag.ts'
import { oneWord, toolCommand } from '../hub-client/tool-command.ts'
import { targetOf } from './connectors.ts'
import { listedConnector } from './list-connectors.ts'
import { visibleText } from '../terminal-output/visible-text.ts'

export const rm = toolCommand({
  takes: '<name>',
  about: 'Deletes a connector, and lists the sessions that lose its tools.',
  words: oneWord,
  examples: ['signalbox connectors rm github'],
  tool: 'delete_connector',
  input: ({ words: [name] }) => ({ name }),
  answer: z.object({ name: z.string(), sessions: z.array(z.string()) }),
  print: ({ name, sessions }) =>
    `Deleted ${name}.${sessions.length > 0 ? ` These sessions lost its tools: ${sessions.join(', ')}.` : ''}`,
})

export const allow = toolCommand({
  takes: '<name>',
  about: [
    'Allows the program of a connector to run outside of the sandboxes of confined sessions, as your user. It holds until its',
    'command, variables or directory change. Binding a connector to a confined session allows it too.',
  ].join('\n'),
  flags: { withdraw: { about: 'take it back: confined sessions lose the connector at once' } },
  words: oneWord,
  examples: ['signalbox connectors allow files', 'signalbox connectors allow files --withdraw'],
  tool: 'allow_connector',
  input: (args) => ({ name: args.words[0], allowed: !args.has('withdraw') }),
  answer: listedConnector,
  print: (connector, { args }) =>
    args.has('withdraw')
      ? `Confined sessions can no longer use ${connector.name}.`
      : `Confined sessions can use ${connector.name}. This runs as your user, outside of their sandboxes: ${visibleText(targetOf(connector))}`,
})

export const restart = toolCommand({
  takes: '<name>',
  about: [
    'Restarts the upstreams of a connector, even those that the hub gave up on, and prints the state of each. Running calls',
    'on them fail. Exits with 1 if an upstream does not come up.',
  ].join('\n'),
  flags: { session: { takes: 'NAME', about: 'only in this session (default: in all sessions that use it)' } },
  words: oneWord,
  examples: ['signalbox connectors restart github', 'signalbox connectors restart files --session build'],
  tool: 'restart_connector',
  // A start may have to download the program.
  timeoutMs: 180_000,
  input: (args) => ({ name: args.words[0], session: args.text('session') }),
  answer: z.object({ name: z.string(), bindings: z.array(bindingSchema) }),
  print({ bindings }) {
    const lines = bindings.map(({ session, label, upstream }) => {
      const reason = upstream?.reason === undefined ? '' : `: ${visibleText(upstream.reason)}`
      return `${label} in ${session} is ${upstream?.is ?? 'stopped'}${reason}`
    })
    return lines.length === 0 ? {} : lines.join('\n')
  },
  exit: ({ bindings }) => (bindings.every(({ upstream }) => upstream?.is === 'running') ? 'ok' : 'failed'),
})

export const bind = toolCommand({
  takes: '<session> <name>',
  about: 'Gives the agent of a session the tools of a connector at once, named <label>_<tool>.',
  flags: {
    label: { takes: 'LABEL', about: 'the name of the mount: lowercase letters and digits (default: from the name)' },
    priority: { takes: 'NUMBER', about: 'if two mounts have the same resource, the higher number wins (default: 0)' },
    overrides: { takes: 'JSON', about: 'changes for this session, such as {"args": ["/srv"]}' },
  },
  words: { min: 2, max: 2 },
  examples: ['signalbox connectors bind build github --label gh'],
  tool: 'bind_connector',
  input(args) {
    const overrides = args.text('overrides')
    return {
      session: args.words[0],
      connector: args.words[1],
      label: args.text('label'),
      priority: readInteger(args, 'priority'),
      overrides: overrides === undefined ? undefined : parseOverrides(overrides),
    }
  },
  answer: bindingSchema,
  print({ session, connector, label, resolved, consent }) {
    const missing = resolved?.['missing']
    const warning =
      Array.isArray(missing) &&
      `it needs ${missing.join(', ')}, which the hub does not have. Set it where you start the hub.`
    return {
      out: `${session} can use ${connector} as ${label}.`,
      err: [
        ...(warning ? [`signalbox: warning: ${warning}`] : []),
        ...(consent ? [`Its program runs as your user, outside of the sandbox of ${session}.`] : []),
      ],
    }
  },
})

export const unbind = toolCommand({
  takes: '<session> <label>',
  about: 'Removes the tools of a connector from a session at once.',
  words: { min: 2, max: 2 },
  examples: ['signalbox connectors unbind build gh'],
  tool: 'unbind_connector',
  input: ({ words: [session, label] }) => ({ session, label }),
  answer: z.looseObject({}),
  print: (_, { args: { words } }) => `${words[0]} can no longer use ${words[1]}.`,
})

function parseOverrides(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new CliError('usage', '--overrides takes a JSON object, such as {"args": ["/srv"]}.', { cause: error })
  }
}

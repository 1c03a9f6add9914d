/** The session commands that make one tool call. */
import { resolve } from 'node:path'
import { z } from 'zod'
import { sessionSchema } from '../../api/session.ts'
import { CliError } from '../command/cli-error.ts'
import { oneWord, toolCommand } from '../hub-client/tool-command.ts'

export const send = toolCommand({
  takes: '<session> <text | ->',
  about: [
    'Types text into a session, several lines as one paste, and then presses Enter. "-" reads the text from stdin. Write',
    '"--" before a text that begins with a dash. A session that waits for a person accepts only an answer: the number or',
    'the label of a choice that it shows.',
  ].join('\n'),
  flags: {
    'no-enter': { about: 'do not press Enter' },
    force: { about: 'type and press Enter even if the session waits for a person or does not show the text' },
  },
  words: { min: 2, max: 2 },
  examples: [
    'signalbox send fix-tests "run the tests again"',
    'signalbox send fix-tests 2',
    'signalbox send fix-tests - <notes.md',
  ],
  tool: 'send_input',
  input: async (args, context) => ({
    name: args.words[0],
    text: args.words[1] === '-' ? await context.readStdin() : args.words[1],
    enter: !args.has('no-enter'),
    force: args.has('force'),
  }),
  answer: z.looseObject({ bytes_written: z.number() }),
  print: ({ bytes_written: count }) => `${count} ${count === 1 ? 'byte' : 'bytes'} typed.`,
})

export const keys = toolCommand({
  takes: '<session> <key>…',
  about: [
    'Presses keys: Enter, Tab, Escape, Backspace, Space, Up, Down, Left, Right, Home, End, PageUp, PageDown, Insert,',
    'Delete, F1 to F24 and single characters. Each may have Ctrl+, Alt+ or Shift+ before it. If one key is unknown, none is',
    'pressed.',
  ].join('\n'),
  words: { min: 2, max: Infinity },
  examples: ['signalbox keys fix-tests Ctrl+c', 'signalbox keys fix-tests Escape : w q Enter'],
  tool: 'send_keys',
  input: ({ words: [session, ...names] }) => ({ session, keys: names.join(' ') }),
  answer: z.looseObject({ keys_sent: z.number() }),
  print: ({ keys_sent: count }) => `${count} ${count === 1 ? 'key' : 'keys'} pressed.`,
})

export const adopt = toolCommand({
  takes: '<tmux-target>',
  about: [
    'Brings a running tmux session under the hub, which lists, shows, records and steers it like any other session. "tmux',
    'attach" still works. Write the target as for tmux, with full names: work, work:1, work:1.2.',
  ].join('\n'),
  flags: {
    name: { takes: 'NAME', about: 'the name of the session (default: from its name in tmux)' },
    template: {
      short: 't',
      takes: 'NAME',
      about: 'the template of the program there, such as claude (default: shell)',
    },
    'socket-name': { short: 'L', takes: 'NAME', about: 'the tmux server, as for tmux -L' },
    'socket-path': { short: 'S', takes: 'PATH', about: 'the tmux server, as for tmux -S' },
  },
  words: oneWord,
  examples: [
    'signalbox adopt work',
    'signalbox adopt work:1.0 --name tests',
    'signalbox adopt agents -L dev --template claude',
  ],
  tool: 'adopt_session',
  input: (args) => ({
    target: args.words[0],
    name: args.text('name'),
    template: args.text('template'),
    tmux_socket: readSocket(args.text('socket-name'), args.text('socket-path')),
  }),
  answer: sessionSchema,
  print: ({ name }) => name,
})

export const release = toolCommand({
  takes: '<session>',
  about: [
    'Releases an adopted tmux session. Its program keeps running in tmux, and the session ends here. The hub keeps the',
    'output up to then. This is the opposite of "signalbox adopt".',
  ].join('\n'),
  words: oneWord,
  examples: ['signalbox release work'],
  tool: 'release_session',
  input: ({ words: [name] }) => ({ name }),
  answer: sessionSchema,
  print: ({ name }) => `Released ${name}. Its program keeps running in tmux.`,
})

function readSocket(name: string | undefined, path: string | undefined): string | undefined {
  if (name !== undefined && path !== undefined)
    throw new CliError('usage', '-L does not go with -S. Leave one of them out.')
  if (name?.includes('/')) throw new CliError('usage', `-L takes a name. Use -S for the path ${name}.`)
  return path === undefined ? name : resolve(path)
}

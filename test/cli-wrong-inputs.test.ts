/**
 * The messages that a person reads after a mistake at the shell. Each line of the table is a wrong command line, its
 * exit code, and a part of its message. All messages must also pass the checks of `expectPlain`.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasShellWords } from '../src/cli/hub-client/shell-words.ts'
import { commands } from '../src/cli/commands.ts'
import { listenAnywhere } from './fixtures/ports.ts'
import { runInProcess } from './fixtures/run-cli.ts'
import { callTool } from './harness/modern-call.ts'
import type { TempHome } from './harness/temp-home.ts'
import { createTempHome } from './harness/temp-home.ts'
import type { HubProcess } from './worlds/hub-process.ts'
import { startHubProcess } from './worlds/hub-process.ts'

/** Stands for the directory of the files that the command lines name. */
const file = (name: string) => `<files>/${name}`
const stranger = createServer((_, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>'))
let home: TempHome
let files: TempHome
let hub: HubProcess
let strangerUrl: string
let tools: readonly string[]

beforeAll(async () => {
  home = await createTempHome()
  files = await createTempHome()
  hub = await startHubProcess({ home: home.path })
  strangerUrl = `http://127.0.0.1:${await listenAnywhere(stranger)}`
  // It ends at once, so that the commands that need a running program are wrong too.
  await callTool(hub, 'create_session', { name: 'ended', command: 'true', args: [], wait: { for: 'exit' } })
  await callTool(hub, 'create_session', { name: 'alive', command: 'cat', args: [] })
  const { out } = await signalbox(['tools', '--management', '--json'])
  tools = (JSON.parse(out) as { tools: { name: string }[] }).tools.map(({ name }) => name)
  await callTool(hub, 'save_template', { payload: { name: 'absent', command: 'no-such-program' } })
  writeFileSync(join(files.path, 'policy.yaml'), 'rules: [{ alow: x }]\n')
  writeFileSync(join(files.path, 'text.json'), 'token: hunter2\n')
  writeFileSync(join(files.path, 'template.json'), '{ "name": "mine", "colour": "red" }\n')
  writeFileSync(join(files.path, 'ways.json'), '[{ "connector": "none", "tool": "search" }]\n')
  writeFileSync(join(files.path, 'latin1.yaml'), Buffer.from('rules: [] # caf\xe9\n', 'latin1'))
  mkdirSync(join(files.path, 'folder'))
})
afterAll(async () => {
  stranger.close()
  await hub[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
  await files[Symbol.asyncDispose]()
})

interface Row {
  readonly line: readonly string[]
  readonly exit: number
  /** A part of the message that says what to do next. */
  readonly says: string
  readonly env?: Readonly<Record<string, string>>
}

const noSession = 'There is no session "nobody". Run "signalbox ls" for the names.'

const noCertificate = { SIGNALBOX_TLS_CERT: '/none.pem', SIGNALBOX_TLS_KEY: '/none.pem' }
const noHub = { SIGNALBOX_URL: 'http://127.0.0.1:1/mcp', SIGNALBOX_TOKEN: 'sb_agent_x' }

const table: readonly Row[] = [
  // The command line itself
  { line: ['stop'], exit: 2, says: 'Did you mean "signalbox kill"?' },
  { line: ['toekn'], exit: 2, says: 'Did you mean "signalbox token"?' },
  { line: ['token'], exit: 2, says: '"signalbox token issue"' },
  { line: ['--port', '1'], exit: 2, says: 'signalbox <command> --port' },
  { line: ['help', 'nothing'], exit: 2, says: 'signalbox --help' },
  { line: ['ls', '--al'], exit: 2, says: 'Did you mean --all?' },
  { line: ['config', 'x'], exit: 2, says: 'signalbox config --help' },
  { line: ['q'], exit: 2, says: 'signalbox --help' },
  // The hub
  { line: ['up', '--port', 'x'], exit: 2, says: 'a whole number from 0 to 65535' },
  { line: ['up', '--home', '/proc/none'], exit: 1, says: 'Set SIGNALBOX_HOME to another directory' },
  { line: ['up', '--home', file('folder')], exit: 2, says: 'no such file or directory. Fix that', env: noCertificate },
  { line: ['status', '--url', 'nowhere'], exit: 2, says: 'Write it like http://127.0.0.1:7420/mcp' },
  { line: ['status', '--url', 'http://127.0.0.1:1'], exit: 4, says: 'Start it with "signalbox up"' },
  { line: ['status', '--url', '<stranger>'], exit: 1, says: 'did not answer like a hub' },
  { line: ['probe', 'http://127.0.0.1:1/mcp'], exit: 4, says: 'No hub answers at http://127.0.0.1:1/mcp. Start' },
  { line: ['probe', '<stranger>'], exit: 1, says: 'Check the address; that of a hub ends in /mcp' },
  { line: ['status', '--token-file', file('none')], exit: 3, says: 'leave --token-file out' },
  { line: ['status', '--token-file', file('folder')], exit: 3, says: 'Check its owner and its mode' },
  { line: ['status'], exit: 3, says: 'signalbox token issue', env: { SIGNALBOX_TOKEN: 'sb_human_wrong' } },
  { line: ['call', 'nothing'], exit: 1, says: 'Run "signalbox tools --management" for the names' },
  { line: ['call', 'get_session', 'x'], exit: 2, says: `Write them like '{"limit": 5}'` },
  { line: ['call', 'get_session', '{}'], exit: 5, says: '"name": it is missing; it must be a string' },
  { line: ['report', 'idle'], exit: 1, says: 'SIGNALBOX_URL and SIGNALBOX_TOKEN' },
  { line: ['hook', 'claude'], exit: 1, says: 'Run this command inside a session' },
  { line: ['hook', 'claude'], exit: 4, says: 'Start it with "signalbox up"', env: noHub },
  { line: ['relay', '--name', 'nobody'], exit: 4, says: 'signalbox new' },
  { line: ['mcp-config', '--for', 'nothing'], exit: 2, says: 'Choose one of claude' },
  { line: ['token', 'issue', '--role', 'agent'], exit: 2, says: '--session' },
  { line: ['token', 'issue', '--role', 'human', '--expires-in', 'x'], exit: 2, says: '--expires-in' },
  { line: ['token', 'revoke', 'none'], exit: 5, says: 'Run "signalbox token list" for the ids' },
  { line: ['service', 'install', '--path', '/proc/none/x'], exit: 1, says: '--print' },
  { line: ['doctor', 'x'], exit: 2, says: 'signalbox doctor --help' },
  { line: ['prune', '--what', 'everything'], exit: 2, says: 'sessions' },
  { line: ['prune', '--older-than', 'x'], exit: 5, says: '--older-than: a number of seconds' },
  { line: ['backup', file('text.json')], exit: 1, says: 'Name another file' },
  { line: ['backup', file('none/x.tar.gz')], exit: 1, says: 'no such file or directory' },
  { line: ['backup', '-'], exit: 2, says: 'Name a file, such as signalbox.tar.gz' },
  { line: ['restore', file('none.tar.gz')], exit: 7, says: 'SIGNALBOX_HOME' },
  // Sessions
  { line: ['new', '--'], exit: 2, says: 'Write a command there: signalbox new' },
  { line: ['new', 'x', '--size', '1000x1000'], exit: 2, says: 'from 2x1 to 500x300' },
  { line: ['new', 'X_Y', '--', 'true'], exit: 5, says: 'such as "fix-tests"' },
  { line: ['new', 'x', '--template', 'none'], exit: 5, says: 'shell' },
  { line: ['new', 'x', '--template', 'absent'], exit: 5, says: '(run "signalbox templates" for those that can)' },
  { line: ['new', 'x', '--dir', '/none', '--', 'true'], exit: 5, says: 'leave out --dir for the current one' },
  { line: ['new', 'x', '--new-dir', '--dir', '/', '--', 'true'], exit: 2, says: 'Leave one of them out' },
  { line: ['new', 'alive', '--', 'true'], exit: 5, says: 'end it with "signalbox kill"' },
  { line: ['new', 'x', '--connector', 'none', '--', 'true'], exit: 5, says: '"signalbox connectors add" makes one' },
  { line: ['resume', 'ended'], exit: 5, says: 'Start another session with "signalbox new"' },
  { line: ['resume', 'alive'], exit: 5, says: '"signalbox send"' },
  { line: ['prompt', 'nobody', 'hello'], exit: 5, says: noSession },
  { line: ['prompt', 'alive', ' '], exit: 2, says: 'The prompt is empty' },
  { line: ['steer', 'alive', 'left'], exit: 5, says: 'run "signalbox prompt"' },
  { line: ['interrupt', 'alive'], exit: 5, says: '"signalbox keys"' },
  { line: ['answer', 'alive'], exit: 1, says: 'asks nothing now' },
  { line: ['thread', 'alive'], exit: 5, says: 'Run "signalbox screen" for its terminal' },
  { line: ['thread', 'alive', '--format', 'pdf'], exit: 2, says: '--format takes json, markdown, openai-chat' },
  { line: ['thread', 'import', file('text.json')], exit: 2, says: '--format takes openai-chat' },
  { line: ['thread', 'import', file('text.json'), '--format', 'gemini'], exit: 5, says: 'as a JSON list' },
  { line: ['switch', 'nobody', 'codex'], exit: 5, says: noSession },
  { line: ['fork', 'nobody'], exit: 5, says: noSession },
  { line: ['run', 'code_review', 'x'], exit: 5, says: 'it must be one of "code_advice"' },
  { line: ['run', 'chat', ' '], exit: 2, says: 'The text is empty' },
  { line: ['run', 'chat', 'x', '--session', 'nobody'], exit: 5, says: noSession },
  { line: ['run', 'chat', 'x', '--file', file('none.ts')], exit: 1, says: 'Name a file that you can read' },
  { line: ['run', 'chat', 'x', '--role', 'cook'], exit: 1, says: 'Run "signalbox routes" to see them' },
  { line: ['routes', 'code_review'], exit: 5, says: 'it must be one of "code_advice"' },
  { line: ['routes', 'set', 'chat', file('text.json')], exit: 2, says: 'Write it like [{"model": "default"}]' },
  { line: ['routes', 'set', 'chat', file('template.json')], exit: 2, says: 'is not a JSON list of ways' },
  { line: ['routes', 'set', 'chat', file('ways.json')], exit: 5, says: 'There is no connector "none"' },
  { line: ['routes', 'reset', 'code_review'], exit: 5, says: 'it must be one of "code_advice"' },
  { line: ['chat', 'nobody'], exit: 5, says: noSession },
  { line: ['chat', 'alive', ' '], exit: 2, says: 'The message is empty' },
  { line: ['chat', 'ended', 'hello'], exit: 5, says: '"signalbox resume" continues its conversation' },
  { line: ['repo', 'add', '/none'], exit: 5, says: 'set SIGNALBOX_REPOSITORY_PATH_MAP' },
  { line: ['repo', 'add', '/'], exit: 5, says: 'contains the data directory of the hub' },
  { line: ['repo', 'add', file('folder'), '--name', 'a b'], exit: 5, says: 'such as "my-api"' },
  { line: ['repo', 'add', file('folder'), '--ref=--upload-pack=x'], exit: 5, says: '--ref: give a branch' },
  { line: ['repo', 'search', 'x'], exit: 5, says: 'Run "signalbox repo add" with the path of a folder' },
  { line: ['repo', 'search', 'x', '--mode', 'fuzzy'], exit: 2, says: '--mode takes lexical, symbol, regex' },
  { line: ['repo', 'search', 'x', '--limit', '0'], exit: 5, says: '--limit' },
  { line: ['repo', 'read', 'none', 'x', '--lines', 'all'], exit: 2, says: '--lines takes lines such as 10-24' },
  { line: ['repo', 'ask', 'none', 'why?'], exit: 5, says: 'Run "signalbox repo" for the names' },
  { line: ['repo', 'ask', 'none', ' '], exit: 2, says: 'The question is empty' },
  { line: ['repo', 'rm', 'none'], exit: 5, says: 'There is no repository "none"' },
  { line: ['attach', 'nobody', '--detach-key', 'F1'], exit: 2, says: '--detach-key takes Ctrl' },
  { line: ['attach', 'alive'], exit: 2, says: 'Use "signalbox screen"' },
  { line: ['ls', '--watch'], exit: 2, says: 'Leave --watch out' },
  { line: ['send', 'nobody', 'hello'], exit: 5, says: noSession },
  { line: ['send', 'alive', 'x'.repeat(5_000_000)], exit: 1, says: 'is larger than' },
  { line: ['keys', 'alive', 'Entre'], exit: 5, says: 'To send text, use "signalbox send"' },
  { line: ['screen', 'nobody'], exit: 5, says: noSession },
  { line: ['logs', 'alive', '-n', '99999'], exit: 2, says: '--lines takes a number from 1 to 10000' },
  { line: ['wait', 'nobody'], exit: 5, says: noSession },
  { line: ['wait', 'alive', '--for', 'lunch'], exit: 2, says: 'Choose one of text' },
  { line: ['kill', 'nobody'], exit: 5, says: noSession },
  { line: ['shot', 'alive', '-o', '/none/x.png'], exit: 1, says: '/none/x.png cannot be written: no such file' },
  { line: ['url', 'nobody'], exit: 5, says: noSession },
  { line: ['replay', './none.cast'], exit: 1, says: 'no such file or directory' },
  { line: ['replay', file('text.json')], exit: 1, says: 'signalbox export' },
  { line: ['export', 'alive', '--format', 'gif'], exit: 2, says: '--format takes asciicast-v3 or asciicast-v2' },
  { line: ['adopt', 'work', '-L', 'a/b'], exit: 2, says: 'Use -S for the path a/b' },
  { line: ['release', 'nobody'], exit: 5, says: noSession },
  { line: ['tools'], exit: 2, says: '--management' },
  { line: ['jobs', 'add', 'x', '--'], exit: 2, says: 'signalbox jobs add' },
  { line: ['jobs', 'cancel', 'none'], exit: 5, says: 'Run "signalbox jobs" for the ids' },
  { line: ['templates', 'save', file('text.json')], exit: 2, says: 'signalbox templates --json' },
  { line: ['templates', 'save', file('template.json')], exit: 5, says: '"colour": there is no such field' },
  { line: ['templates', 'delete', 'none'], exit: 5, says: 'Run "signalbox templates" for the names' },
  // Approvals, connectors, policy, events
  { line: ['approvals'], exit: 2, says: 'signalbox approvals ls' },
  { line: ['approvals', 'show', 'none'], exit: 5, says: 'Run "signalbox approvals ls" for the ids' },
  { line: ['approvals', 'approve', 'none'], exit: 5, says: 'Run "signalbox approvals ls" for the ids' },
  { line: ['grants', 'revoke', 'none'], exit: 5, says: 'Run "signalbox grants" for the ids' },
  { line: ['connectors', 'add', 'x'], exit: 2, says: '--url' },
  { line: ['connectors', 'add', 'x', '--url', 'nowhere'], exit: 5, says: 'http:// or https://' },
  {
    line: ['connectors', 'add', 'x', '--url', 'https://x.org', '-H', 'Authorization: Bearer hunter2'],
    exit: 5,
    says: '--header',
  },
  { line: ['connectors', 'test', 'none'], exit: 5, says: '"signalbox connectors add" makes one' },
  { line: ['connectors', 'import', file('none.json')], exit: 1, says: 'Name a file that you can read' },
  { line: ['connectors', 'import', file('text.json')], exit: 5, says: 'Correct it there' },
  { line: ['connectors', 'import', '--from', 'claude'], exit: 1, says: 'Name a file instead' },
  { line: ['connectors', 'bind', 'nobody', 'none'], exit: 5, says: noSession },
  { line: ['policy', 'save', file('none.yaml')], exit: 1, says: 'Name a file that you can read' },
  { line: ['policy', 'save', file('latin1.yaml')], exit: 1, says: 'is not UTF-8 text' },
  { line: ['policy', 'edit'], exit: 2, says: 'Use "signalbox policy save"' },
  { line: ['policy', 'check', file('policy.yaml')], exit: 1, says: 'a rule has one of allow, ask, deny, abort' },
  { line: ['policy', 'simulate', file('policy.yaml'), '--since', 'x'], exit: 2, says: '1h for an hour ago' },
  { line: ['policy', 'accept', 'none'], exit: 5, says: 'Run "signalbox policy proposals" for the ids' },
  { line: ['policy', '--scope', 'session', '--target', 'nobody'], exit: 5, says: noSession },
  { line: ['changes', 'nobody'], exit: 5, says: noSession },
  { line: ['events', '--since', 'then'], exit: 2, says: '1h for an hour ago' },
  { line: ['events', '--until', 'later'], exit: 2, says: '--until takes a time' },
  { line: ['events', '--session', 'nobody'], exit: 5, says: noSession },
  { line: ['trace', 'none'], exit: 5, says: 'Run "signalbox events" for the ids' },
]

describe('a wrong command line', () => {
  test.each(table.map((row) => [row.line.join(' ').slice(0, 80), row] as const))(
    'signalbox %s',
    async (_, { line, exit, says, env }) => {
      const { code, err } = await signalbox(
        line.map((word) => word.replace('<stranger>', strangerUrl).replace('<files>', files.path)),
        env,
      )
      expect(err).toContain(says)
      expect(code).toBe(exit)
      expectPlain(err)
    },
  )
})

test('the table has a line for every group of commands', () => {
  const groups = new Set(commands.map(({ name }) => name.split(' ')[0]))
  const covered = new Set(table.map(({ line }) => line[0]))
  expect([...groups].filter((group) => !covered.has(group))).toEqual([])
})

test('each tool that a sentence of the hub names has a command', () => {
  const sentences = globSync('src/**/*.ts', { exclude: ['src/cli/**', '**/*.test.ts'] }).flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'/g)].map(([text]) => text),
  )
  const named = tools.filter((tool) => {
    const asWord = new RegExp(`[A-Za-z"}:,;.)] ${tool}\\b|${tool} [a-z]`)
    return sentences.some((text) => asWord.test(text))
  })
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((tool) => !hasShellWords(tool))).toEqual([])
})

/** One or a few sentences in the words of a shell. */
function expectPlain(message: string): void {
  expect(message).toMatch(/^signalbox: \S/)
  expect(message).not.toContain('[redacted]')
  expect(message).not.toContain('hunter2')
  expect(message).not.toContain('This is a bug')
  expect(message).not.toMatch(/^\s+at /m)
  expect(message).not.toMatch(/\.\.(?:\s|$)/)
  expect(message).not.toMatch(/\bE(?!DITOR)[A-Z]{4,}\b/)
  expect(message).not.toMatch(/ZodError|Invalid (?:input|option|ISO)|Too (?:big|small)|expected [a-z]+, received/)
  const words = message.replaceAll(/signalbox call \S+|"[a-z_]+":/g, '').split(/[^\w/]+/)
  expect(words.filter((word) => tools.includes(word))).toEqual([])
  // A command, a flag, a file, a setting or an example value.
  expect(message).toMatch(
    /signalbox [a-z-]+|--[a-z]|\/\w|SIGNALBOX_|such as|like|[Cc]hoose|one of| -[A-Z]\b|There are|https?:|remove it|Correct it/,
  )
}

function signalbox(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return runInProcess(argv, {
    env: { HOME: home.path, SIGNALBOX_HOME: home.path, ...env },
    startHub: async (loaded) => (await import('../src/hub.ts')).startHub(loaded),
  })
}

import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { until } from '../../../test/fixtures/until.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import type { RunSession } from '../port/driver.ts'
import type { OwnToolAnswer, OwnToolGate } from '../port/own-tools.ts'
import { openGeminiCompanion } from './companion.ts'
import { dialogFor } from './dialog.ts'

const recorded = new URL('../../../test/recordings/agents/dialogs/gemini-write.txt', import.meta.url)
const call = { tool_name: 'write_file', tool_input: { file_path: 'a.txt', content: 'hi' } }
let dialog = ''
beforeAll(async () => {
  dialog = await readFile(recorded, 'utf8')
})

/** A session in which a rule asks about each call, and the gate holds it. */
async function open({ isNew = false, hooks = true } = {}) {
  const held = Promise.withResolvers<OwnToolAnswer>()
  const typed: string[] = []
  const answered: string[] = []
  let asked = 0
  let screen = dialog
  const ownTools: OwnToolGate = {
    check: async () => ({ is: 'ask', reason: 'careful' }),
    authorize(given) {
      asked += 1
      given.onHeld?.('a1')
      return held.promise
    },
    toolsOfHub: async () => [],
    async answeredInTerminal(approval, decision) {
      answered.push(`${approval} ${decision}`)
      held.resolve({ is: 'allowed', isRuled: true, approval, end() {} })
    },
  }
  const thread = { append: async () => {}, draft() {}, progress: async () => undefined, has: async () => false }
  const directory = await mkdtemp(join(tmpdir(), 'signalbox-gemini-'))
  const terminal = {
    status: { is: 'running' },
    screen: { text: () => screen },
    write: (bytes: Buffer) => void typed.push(bytes.toString()),
  }
  const companion = openGeminiCompanion({
    session: { ownTools, thread, directory, workspacePath: '/project', isResumed: false } as unknown as RunSession,
    terminal: terminal as unknown as Terminal,
    isNew,
    report() {},
    stop() {},
    onChange() {},
  })
  const hook = (event: string, body: object) =>
    companion.hook({ name: 'gemini', body: { hook_event_name: event, ...body } }, new AbortController().signal)
  if (hooks) {
    await hook('BeforeTool', call)
    await hook('Notification', { notification_type: 'ToolPermission' })
    await until(() => asked > 0)
  }
  const approve = () => held.resolve({ is: 'allowed', isRuled: true, approval: 'a1', end() {} })
  return { approve, companion, hook, typed, answered, asked: () => asked, show: (text: string) => void (screen = text) }
}

test('a dialog that is hidden for a moment is not an answer, and no key is typed when it shows again', async () => {
  const { companion, typed, answered, show } = await open()
  using _ = companion
  show('')
  await sleep(1_000)
  show(dialog)
  await sleep(4_000)
  expect({ typed, answered }).toEqual({ typed: [], answered: [] })
})

test('a dialog that shows again after the hub took it for answered waits for the person', async () => {
  const { companion, typed, answered, show } = await open()
  using _ = companion
  show('')
  await until(() => answered.length > 0)
  show(dialog)
  await sleep(1_500)
  expect(typed).toEqual([])
})

test('one dialog asks once, however often it is announced', async () => {
  const { companion, hook, asked } = await open()
  using _ = companion
  await hook('Notification', { notification_type: 'ToolPermission' })
  await sleep(500)
  expect(asked()).toBe(1)
})

test.each([
  ['a.txt', true],
  ['a', false],
  ['a.txt2', false],
  ['other/a.txt', false],
])('the dialog about a.txt matches exactly that file: %s', (file, isAbout) => {
  const terminal = { screen: { text: () => dialog } } as unknown as Terminal
  const judged = { name: 'write_file', input: { file_path: file }, cwd: '/project' }
  expect(dialogFor(terminal, judged) !== undefined).toBe(isAbout)
})

test('the answer of a person is typed', async () => {
  const { companion, typed, approve, show } = await open()
  using _ = companion
  approve()
  await until(() => typed.length > 0)
  show('')
  expect(typed).toEqual(['1'])
})

test.each([
  ['after the real one', [{ ...call, tool_input: { ...call.tool_input, content: 'harmless' } }]],
  [
    'after it pretends that the real one has ended',
    [{ hook_event_name: 'AfterAgent' }, { ...call, tool_input: { ...call.tool_input, content: 'harmless' } }],
  ],
])('a message that announces another call for the dialog, %s, leaves it to the person', async (_, forged) => {
  const { companion, hook, typed, approve } = await open()
  using _companion = companion
  for (const { hook_event_name: event = 'BeforeTool', ...body } of forged as { hook_event_name?: string }[]) {
    await hook(event, body)
  }
  await hook('Notification', { notification_type: 'ToolPermission' })
  approve()
  await sleep(1_000)
  expect(typed).toEqual([])
})

test('a message that comes after a dialog without a hook is not a sign that hooks run', async () => {
  const { companion, hook, typed } = await open({ isNew: true, hooks: false })
  using _ = companion
  await until(() => companion.governed.reason?.includes('do not run'))
  await hook('SessionStart', {})
  await hook('BeforeTool', call)
  await hook('Notification', { notification_type: 'ToolPermission' })
  await sleep(1_000)
  expect(companion.governed.is).toBe('partly')
  expect(typed).toEqual([])
})

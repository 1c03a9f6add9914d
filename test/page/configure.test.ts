/** A session is configured, started with every field, and its recording is played, in a real browser. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { devices, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '../../src/api/session.ts'
import type { Thread } from '../../src/api/thread.ts'
import { createRepository, git } from '../fixtures/git-repository.ts'
import { requires } from '../harness/requires.ts'
import { browserPrograms } from './browser.ts'
import { patience } from '../worlds/own-hub.ts'
import { violations } from './axe.ts'
import { type PageWorld, startPageWorld } from './page-world.ts'
import { writeInEditor } from './write-in-editor.ts'

const program = requires(...browserPrograms)
const upstream = new URL('../worlds/stdio-upstream.ts', import.meta.url).pathname

program.describe('configuring a session', () => {
  let world: PageWorld
  beforeAll(async () => {
    world = await startPageWorld(program.path)
    await saveConnector('books')
  })
  afterAll(() => world[Symbol.asyncDispose]())

  /** An upstream that keeps what it gets in the file that its first argument names. */
  async function saveConnector(name: string): Promise<void> {
    const args = [upstream, fileOf(`${name}.log`), fileOf('lists.json')]
    await world.call('save_connector', { name, transport: 'stdio', cmd: process.execPath, args })
  }
  const fileOf = (name: string) => join(world.directory, name)
  const sessionOf = async (name: string) => (await world.call('get_session', { name })) as unknown as Session
  const threadOf = async (session: string) => (await world.call('read_thread', { session })) as unknown as Thread

  async function configure(page: Page) {
    await page.getByRole('button', { name: 'Configure' }).click()
    return page.getByRole('dialog', { name: /^Configure / })
  }

  test('a connection with an override is added, and the agent uses its tool', async () => {
    await world.agent('reader', 'FINAL hello')
    await using viewer = await world.open('terminal/reader')
    const { page, complaints } = viewer
    const dialog = await configure(page)
    await dialog.getByText('This session uses no connection.').waitFor()
    await dialog.getByText(/^The agent sees \d+ tools, [\d.]+ KB of schema\.$/).waitFor()
    await dialog.getByLabel('Add a connection').selectOption('books')
    await dialog.getByLabel('label override').fill('library')
    await dialog.getByRole('button', { name: 'Override args' }).click()
    const elsewhere = fileOf('elsewhere.log')
    await dialog.getByLabel('args override').fill(`${upstream} "${elsewhere}" ${fileOf('lists.json')}`)
    await dialog.getByRole('row', { name: /^args/ }).getByRole('cell').last().getByText(elsewhere).waitFor()

    // The hub refuses what it would refuse when it is saved.
    await dialog.getByLabel('label override').fill('terminal')
    await dialog.getByText("taken by the hub's own mount").waitFor()
    await dialog.getByLabel('label override').fill('library')
    await dialog.getByRole('cell').getByText('library', { exact: true }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Control+Enter')
    await dialog.waitFor({ state: 'hidden' })
    expect((await world.call('list_bindings', { session: 'reader' }))['bindings']).toMatchObject([
      { connector: 'books', label: 'library', overrides: { args: [upstream, elsewhere, fileOf('lists.json')] } },
    ])

    await page
      .getByLabel('Message')
      .fill('CALL library_script {"steps":[{"result":{"content":[]}}]}\nFINAL looked it up')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('log').getByText('looked it up', { exact: true }).waitFor()
    expect(readFileSync(elsewhere, 'utf8')).toContain('tools/call')

    const again = await configure(page)
    const bound = again.getByRole('region', { name: 'books' })
    await bound.getByText('1 tool').waitFor()
    await bound.getByRole('img', { name: 'Running' }).waitFor()
    await bound.getByRole('switch').click()
    await again.getByRole('button', { name: 'Save' }).click()
    await again.waitFor({ state: 'hidden' })
    expect(await world.call('list_bindings', { session: 'reader' })).toEqual({ bindings: [] })
    expect(complaints).toEqual([])
  })

  test('the policy shows its fault at its line, and policy and terminal tools are saved', async () => {
    await world.agent('ruled')
    await using viewer = await world.open('terminal/ruled')
    const { page, complaints } = viewer
    const dialog = await configure(page)
    await dialog.getByRole('tab', { name: 'Policy' }).click()
    const editor = dialog.getByRole('textbox', { name: 'Policy of this session' })
    await writeInEditor(editor, 'rules:\n  - forbid: "*"')
    await dialog
      .getByText(/forbid/)
      .nth(1)
      .waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').filter({ hasText: 'line 2' }).waitFor()
    await writeInEditor(editor, 'rules:\n  - deny: terminal_read_screen')
    expect(await violations(page)).toEqual([])

    await dialog.getByRole('tab', { name: /^Terminal tools/ }).click()
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('switch', { name: 'screenshot', exact: true }).click()
    await dialog.getByRole('switch', { name: 'send_keys' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'hidden' })
    const { terminal_tools: tools } = await sessionOf('ruled')
    expect(tools).toContain('screenshot')
    expect(tools).not.toContain('send_keys')
    expect((await world.call('get_policy', { scope: 'session', target: 'ruled' }))['source']).toContain(
      'deny: terminal',
    )
    expect(complaints).toEqual([])
  })

  test('another provider goes on with the thread in the same session, and other settings leave it', async () => {
    await world.agent('switched', 'FINAL first')
    await using viewer = await world.open('terminal/switched')
    const { page } = viewer
    await page.getByRole('log').getByText('first', { exact: true }).waitFor()
    const dialog = await configure(page)
    await dialog.getByRole('tab', { name: 'Model' }).click()
    await dialog.getByLabel('Model', { exact: true }).getByRole('textbox').fill('anthropic/scripted')
    await dialog.getByText('This session goes on with it from the next turn.').waitFor()
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await page.getByText('anthropic/scripted').waitFor()
    await page.getByLabel('Message').fill('FINAL second')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('log').getByText('second', { exact: true }).waitFor()
    expect((await threadOf('switched')).messages.at(-1)).toMatchObject({ provider: 'anthropic' })
    expect((await sessionOf('switched')).model).toBe('anthropic/scripted')

    await configure(page)
    await world.call('switch_provider', { session: 'switched', to: 'openai/scripted' })
    await page.getByText('openai/scripted').first().waitFor()
    await dialog.getByRole('tab', { name: /^Terminal tools/ }).click()
    await dialog.getByRole('switch', { name: 'screenshot', exact: true }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect((await sessionOf('switched')).model).toBe('openai/scripted')
  })

  test('the recording of a terminal is scrubbed, played, and left for the live screen', async () => {
    const go = fileOf('go')
    const command = `printf 'the first screen\\n'; until [ -e ${go} ]; do sleep 0.05; done; printf '\\033[2J\\033[Hthe second screen\\n'; exec cat`
    await world.call('create_session', { name: 'recorded', template: 'shell', command })
    await using viewer = await world.open('terminal/recorded')
    const { page, complaints } = viewer
    const live = page.locator('.tplace:not(.replay) .xterm-rows')
    const replayed = page.locator('.replay .xterm-rows')
    const moment = page.getByRole('slider', { name: 'Moment' })
    await live.filter({ hasText: 'the first screen' }).waitFor()
    // The scrubber shows seconds, so the second screen comes a few of them later.
    await expect.poll(async () => Number(await moment.getAttribute('aria-valuenow')), patience).toBeGreaterThan(3)
    writeFileSync(go, '')
    await live.filter({ hasText: 'the second screen' }).waitFor()

    const { x, y, width } = (await moment.boundingBox())!
    await page.mouse.click(x + width / 4, y + 8)
    await replayed.filter({ hasText: 'the first screen' }).waitFor()
    await page.getByRole('status', { name: 'Recording' }).waitFor()
    expect(await moment.getAttribute('aria-valuetext')).toMatch(/^0:\d\d of 0:\d\d$/)
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Play the recording' }).click()
    await live.filter({ visible: true, hasText: 'the second screen' }).waitFor()

    await moment.press('Home')
    await replayed.filter({ hasNotText: 'second' }).waitFor()
    await page.getByRole('button', { name: 'Live' }).click()
    await live.filter({ visible: true, hasText: 'the second screen' }).waitFor()
    await page.getByRole('status', { name: 'Keyboard' }).waitFor()
    expect(complaints).toEqual([])
  })

  test('the recording of an ended session is played', async () => {
    await world.call('create_session', { name: 'over', template: 'shell', command: 'printf "last words"; sleep 1' })
    await world.call('wait_session', { name: 'over', for: 'exit' })
    await using viewer = await world.open('terminal/over')
    const { page } = viewer
    await page.getByRole('slider', { name: 'Moment' }).press('Home')
    await page.getByRole('button', { name: 'Play the recording' }).click()
    await page
      .locator('.replay .xterm-rows')
      .filter({ hasText: 'last words' })
      .or(page.getByText('Ended', { exact: true }))
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'End', exact: true }).click()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Export the recording' }).click()
    await page.getByRole('dialog').getByText('recording.cast').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Remove…' }).click()
    await page.getByRole('button', { name: 'Remove the session' }).click()
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await expect(sessionOf('over')).rejects.toThrow('There is no session')
  })

  test('the keyboard is given back by its key, from inside the terminal', async () => {
    await world.call('create_session', { name: 'typed', template: 'shell', command: 'cat' })
    await using viewer = await world.open('terminal/typed')
    const { page } = viewer
    const keyboard = page.getByRole('status', { name: 'Keyboard' })
    await keyboard.filter({ hasText: 'type to take' }).waitFor()
    await page.keyboard.type('x')
    await keyboard.filter({ hasText: 'You have the keyboard' }).waitFor()
    await page.keyboard.press('Control+Shift+Escape')
    await keyboard.filter({ hasText: 'type to take' }).waitFor()
  })

  test('a new session gets a worktree, a model, rules, labels and variables, and the choices are remembered', async () => {
    const repository = createRepository(fileOf('project'))
    await using viewer = await world.open('')
    const { page, complaints } = viewer
    await page.getByRole('button', { name: 'New session' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'New session' })
    await dialog.getByRole('radio', { name: /^agent/ }).check({ force: true })
    await dialog.getByLabel('Directory').fill(repository)
    await dialog.getByLabel('Name').fill('made')
    await dialog.getByLabel('Own git worktree').check({ force: true })
    await dialog.getByText(/^Model, mode, connections/).click()
    await dialog.getByLabel('Model', { exact: true }).fill('openai/scripted')
    await dialog.getByRole('group', { name: 'Connections' }).getByLabel('As the template says').uncheck({ force: true })
    await dialog.getByLabel('books').check({ force: true })
    await dialog.getByLabel('Sandbox').selectOption('off')
    await dialog.getByLabel('Rules for this session').fill('rules:\n  - deny: "*_delete_*"')
    await dialog.getByLabel('Labels').fill('night, slow')
    await dialog.getByLabel('Variables').fill('GREETING')
    await dialog.getByRole('button', { name: 'Start session' }).click()
    await dialog.getByRole('alert').filter({ hasText: 'Write NAME=value.' }).waitFor()
    await dialog.getByLabel('Variables').fill('GREETING=good day')
    expect(await violations(page)).toEqual([])
    await dialog.getByLabel('What should it do?').fill('FINAL begun')
    await dialog.getByRole('button', { name: 'Start session' }).click()
    await page.getByRole('log').getByText('begun', { exact: true }).waitFor()

    const made = await sessionOf('made')
    expect(made).toMatchObject({ model: 'openai/scripted', labels: ['night', 'slow'] })
    expect(made.confined).toBeUndefined()
    expect(made.workspace_path).not.toBe(repository)
    expect(git(repository, 'worktree', 'list')).toContain(made.workspace_path)
    expect((await world.call('list_bindings', { session: 'made' }))['bindings']).toMatchObject([{ label: 'books' }])
    await world.call('send_text', { session: 'made', text: 'echo "say: $GREETING"\n' })
    await page.locator('.xterm-rows').filter({ hasText: 'say: good day' }).waitFor()

    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('New session')
    await page.keyboard.press('Enter')
    await dialog
      .getByText('More: model openai/scripted, 1 connection, no sandbox, own rules, labels night, slow')
      .waitFor()
    expect(await dialog.getByLabel('Directory').inputValue()).toBe(repository)
    expect(complaints).toEqual([])
  })

  test('on a phone, a session is configured and its recording scrubbed, and nothing scrolls sideways', async () => {
    await world.agent('pocket', 'FINAL hi')
    await using viewer = await world.open('terminal/pocket', devices['iPhone 13'])
    const { page } = viewer
    const isWide = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
    await page.getByRole('button', { name: 'More' }).tap()
    await page.getByRole('menuitem', { name: 'Configure…' }).tap()
    const dialog = page.getByRole('dialog', { name: 'Configure pocket' })
    await dialog.getByLabel('Add a connection').selectOption('books')
    await dialog.getByRole('button', { name: 'Override cmd' }).tap()
    await dialog.getByLabel('cmd override').waitFor()
    expect(await violations(page)).toEqual([])
    expect(await isWide()).toBe(false)
    await dialog.getByRole('tab', { name: /^Terminal tools/ }).tap()
    expect(await violations(page)).toEqual([])
    expect(await isWide()).toBe(false)
    await dialog.getByRole('button', { name: 'Cancel' }).tap()

    await page.getByRole('tab', { name: 'Terminal' }).tap()
    const moment = page.getByRole('slider', { name: 'Moment' })
    const { x, y, width } = (await moment.boundingBox())!
    await page.touchscreen.tap(x + width / 3, y + 10)
    await page.getByRole('status', { name: 'Recording' }).waitFor()
    expect(await violations(page)).toEqual([])
    expect(await isWide()).toBe(false)
  })
})

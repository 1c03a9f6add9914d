/** The tabs of a session in a real browser: a long thread, tools, approvals, events, and the files of a real worktree. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Page, devices } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRepository, git } from '../fixtures/git-repository.ts'
import { requires } from '../harness/requires.ts'
import { browserPrograms } from './browser.ts'
import { patience } from '../worlds/own-hub.ts'
import { violations } from './axe.ts'
import { type PageWorld, startPageWorld } from './page-world.ts'

const program = requires(...browserPrograms)

program.describe('the tabs of a session', () => {
  let world: PageWorld
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tabs-'))
    world = await startPageWorld(program.path)
  })
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  test('a thread of 2,000 messages opens at its end, has few elements, and jumps back to the latest', async () => {
    const name = await importedThread(longThread(500))
    await using viewer = await world.open(`terminal/${name}`)
    const { page, complaints } = viewer
    const thread = page.getByRole('log', { name: 'Thread' })
    await thread.getByText('Answer 500 is here.').waitFor()
    await thread.getByRole('button', { name: /^Turns 1 to 499/ }).waitFor()
    expect(await violations(page)).toEqual([])

    await thread.getByRole('button', { name: 'Unfold all' }).click()
    await expect.poll(() => thread.evaluate((log) => log.scrollHeight), patience).toBeGreaterThan(50_000)
    expect(await thread.locator('*').count()).toBeLessThan(1_500)
    const jump = page.getByRole('button', { name: 'Jump to latest' })
    await scrollTo(page, 0)
    await thread.getByText('Question 1 of the thread').first().waitFor()
    await thread.getByText('Answer 1 is here.').waitFor()
    await scrollTo(page, 0.5)
    await thread
      .getByText(/^Answer 2\d\d is here\.$/)
      .first()
      .waitFor()

    // New messages of the agent do not move the part that the person reads.
    const before = await thread.evaluate((log) => log.scrollTop)
    await world.call('prompt_session', { session: name, text: 'FINAL and one more', wait: true })
    await jump.waitFor()
    expect(Math.abs((await thread.evaluate((log) => log.scrollTop)) - before)).toBeLessThan(200)
    await jump.click()
    await thread.locator('.say', { hasText: 'and one more' }).waitFor()
    await jump.waitFor({ state: 'hidden' })

    // At the end of the thread, the view follows new messages.
    await world.call('prompt_session', { session: name, text: 'FINAL the very last', wait: true })
    await thread.locator('.say', { hasText: 'the very last' }).waitFor()
    expect(await jump.isVisible()).toBe(false)
    expect(complaints).toEqual([])
  })

  test('an edit shows its diff with tabs and hidden characters, and a call its rule', async () => {
    const edit = { file_path: 'src/retry.ts', old_string: 'const limit = 5 \n', new_string: 'const\tlimit = 7\u202e\n' }
    const name = await importedThread([
      { role: 'user', content: 'Raise the limit.' },
      callOf('Edit', edit),
      { role: 'tool', tool_call_id: 'Edit', content: 'done' },
      { role: 'assistant', content: 'Raised.' },
    ])
    await using viewer = await world.open(`terminal/${name}`)
    const { page, complaints } = viewer
    const call = page.getByRole('log').locator('.call')
    await call.getByText('U+202E').waitFor()
    await call.locator('.ws.tab').waitFor()
    await call.locator('.ws.end').waitFor()
    await call.getByText('+1').waitFor()

    await world.call('set_policy', {
      scope: 'session',
      target: name,
      source: 'rules:\n  - allow: terminal_read_screen\n    reason: reading is harmless\n',
    })
    await world.call('prompt_session', { session: name, text: 'CALL terminal_read_screen {}\nFINAL read', wait: true })
    await page
      .getByRole('log')
      .getByText(/rule 1/)
      .waitFor()
    expect(complaints).toEqual([])
  })

  test('a terminal tool is switched on and off, and the agent sees the difference', async () => {
    await world.agent('switched')
    await using viewer = await world.open('terminal/switched')
    const { page, complaints } = viewer
    await page.getByRole('tab', { name: 'Tools' }).click()
    const tools = page.getByRole('region', { name: 'Tools of the agent' })
    const resize = tools.getByRole('switch', { name: 'resize' })
    await resize.waitFor()
    await tools.getByText('chat_post').waitFor()
    expect(await violations(page)).toEqual([])
    expect(await resize.getAttribute('aria-checked')).toBe('false')
    await resize.click()
    await expect.poll(() => resize.getAttribute('aria-checked'), patience).toBe('true')
    expect(await namesOfTools('switched')).toContain('terminal_resize')
    await tools.getByText('Changes the size').or(tools.getByText('size')).first().waitFor()
    await resize.click()
    await expect.poll(() => resize.getAttribute('aria-checked'), patience).toBe('false')
    expect(await namesOfTools('switched')).not.toContain('terminal_resize')
    expect(complaints).toEqual([])
  })

  test('approvals are answered in their tab, and events arrive and are filtered', async () => {
    await world.agent('asked', 'CALL terminal_send_text {"text":"echo ask tab"}\nFINAL thanks')
    await using viewer = await world.open('terminal/asked')
    const { page, complaints } = viewer
    await page.getByRole('tab', { name: /^Approvals/ }).click()
    const ask = page.getByRole('region', { name: 'Approval', exact: true })
    await ask.getByText('echo ask tab').waitFor()
    await ask.getByRole('button', { name: 'Allow once' }).click()
    await page.getByText('Nothing waits for you.').waitFor()
    await page
      .getByText(/allowed once/)
      .first()
      .waitFor()

    await page.getByRole('tab', { name: 'Events' }).click()
    const events = page.getByRole('region', { name: 'Events, newest first' })
    await events.getByText('approval-consumed').waitFor()
    await page.getByRole('button', { name: 'Turns' }).click()
    await events.getByText('approval-consumed').waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await page.getByLabel('Filter events').fill('terminal_send_text')
    await events.getByRole('button', { name: /tool-called/ }).click()
    await events.getByText('"[not recorded]"').waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByLabel('Filter events').fill('')
    await world.call('prompt_session', { session: 'asked', text: 'FINAL again', wait: true })
    await expect.poll(() => events.getByText('turn-ended').count(), patience).toBeGreaterThan(1)
    expect(complaints).toEqual([])
  })

  test('the changes of a worktree are shown and discarded, and a citation opens its file at the line', async () => {
    const path = await agentInWorktree('worker', 'SAY The limit is in src/app.ts:2-3, and `src/app.ts:4`.\nFINAL ok')
    await using viewer = await world.open('terminal/worker')
    const { page, complaints } = viewer
    await page.getByRole('tab', { name: 'Files' }).click()
    const changes = page.getByRole('region', { name: 'Changes' })
    await changes.getByRole('button', { name: /^file changed/ }).waitFor()
    await changes.getByRole('button', { name: /^notes\.md new/ }).waitFor()
    await changes.locator('.diff ins', { hasText: 'five' }).waitFor()
    await changes.getByText('first').first().waitFor()
    await page.getByRole('region', { name: 'Suggested commit message' }).waitFor()
    expect(await changes.getByRole('link', { name: 'Open in editor' }).first().getAttribute('href')).toBe(
      `vscode://file${path}/file:1`,
    )
    await page.getByRole('button', { name: 'Side by side' }).click()
    await page.getByRole('group', { name: 'Diff, side by side' }).first().waitFor()
    expect(await violations(page)).toEqual([])

    await changes.getByRole('button', { name: 'Discard…' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Discard these changes?' })
    await dialog.getByRole('button', { name: 'Discard the changes' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await changes.getByRole('button', { name: /^file changed/ }).waitFor({ state: 'hidden' })
    expect(readFileSync(join(path, 'file'), 'utf8')).toBe('text\nline 2\nline three\n')
    await changes.getByRole('button', { name: 'Discard…' }).first().click()
    await dialog.getByRole('button', { name: 'Delete the file' }).click()
    await expect.poll(() => existsSync(join(path, 'notes.md')), patience).toBe(false)

    await page.getByRole('button', { name: 'All files' }).click()
    await page.getByRole('button', { name: 'src' }).click()
    await page.getByRole('button', { name: /^app\.ts/ }).click()
    await page.getByRole('region', { name: 'src/app.ts' }).getByText('const limit = 5').waitFor()
    await page.getByRole('tab', { name: 'Thread' }).click()
    await page.getByRole('log').getByRole('button', { name: 'src/app.ts:2-3' }).click()
    const file = page.getByRole('region', { name: 'src/app.ts' })
    await file.locator('.file-band').waitFor()
    expect(await violations(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  test('on a phone every tab is in one row, and nothing scrolls sideways', async () => {
    await agentInWorktree('pocket', 'CALL terminal_send_text {"text":"echo ask pocket"}\nFINAL ok')
    await using viewer = await world.open('terminal/pocket', devices['Pixel 7'])
    const { page, complaints } = viewer
    await page.getByRole('region', { name: 'Approval', exact: true }).waitFor()
    const shown: readonly (readonly [string | RegExp, () => Promise<unknown>])[] = [
      ['Terminal', () => page.locator('.xterm-rows').waitFor()],
      ['Tools', () => page.getByRole('switch').first().waitFor()],
      [/^Approvals/, () => page.getByRole('button', { name: 'Allow once' }).waitFor()],
      ['Events', () => page.getByText('tool-called').first().waitFor()],
      ['Files', () => page.getByRole('button', { name: /^file changed/ }).waitFor()],
      ['Thread', () => page.getByRole('log').waitFor()],
    ]
    for (const [name, isShown] of shown) {
      await page.getByRole('tablist', { name: 'View' }).getByRole('tab', { name }).tap()
      await isShown()
      expect(await violations(page), String(name)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    }
    expect(complaints).toEqual([])
  })

  /** Makes a session of the built-in agent in a worktree, and changes files in it. Returns the worktree. */
  async function agentInWorktree(name: string, script: string): Promise<string> {
    const repository = createRepository(join(folder, name))
    mkdirSync(join(repository, 'src'))
    writeFileSync(join(repository, 'file'), 'text\nline 2\nline three\n')
    writeFileSync(join(repository, 'src/app.ts'), 'import x\nconst limit = 5\nuse(limit)\nend()\n')
    git(repository, 'add', '--all')
    git(repository, 'commit', '--quiet', '--amend', '-m', 'first')
    const session = await world.call('create_session', {
      name,
      template: 'agent',
      working_dir: repository,
      worktree: true,
    })
    const path = String(session['workspace_path'])
    writeFileSync(join(path, 'file'), 'text\nline 2\nline three and five\n')
    writeFileSync(join(path, 'notes.md'), '# Notes\n')
    await world.call('prompt_session', { session: name, text: script, wait: false })
    return path
  }

  async function importedThread(messages: readonly object[]): Promise<string> {
    const imported = await world.call('import_thread', { text: JSON.stringify(messages), format: 'openai-chat' })
    const { session } = await world.call('switch_provider', { thread: imported['thread_id'], to: 'agent' })
    return String(session)
  }

  async function namesOfTools(session: string): Promise<readonly string[]> {
    const { tools } = await world.call('list_session_tools', { session })
    return (tools as readonly { readonly name: string }[]).map(({ name }) => name)
  }
})

/** Four messages for each turn. */
function longThread(turns: number): readonly object[] {
  return Array.from({ length: turns }, (_, index) => [
    { role: 'user', content: `Question ${index + 1} of the thread` },
    callOf(`look_up_${index}`, { query: `number ${index}` }),
    { role: 'tool', tool_call_id: `look_up_${index}`, content: `result ${index}\n`.repeat(10) },
    { role: 'assistant', content: `Answer ${index + 1} is here.` },
  ]).flat()
}

function callOf(name: string, args: object): object {
  return {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: name, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
  }
}

/** 0 is the start of the thread, and 1 its end. */
async function scrollTo(page: Page, part: number): Promise<void> {
  await page.getByRole('log').evaluate((log, to) => log.scrollTo({ top: log.scrollHeight * to }), part)
}

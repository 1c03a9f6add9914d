/** The section "Activity" in a real browser: a turn over two sessions, the event log, and what agents use. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devices, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Approval } from '../../src/api/approval.ts'
import { requires } from '../harness/requires.ts'
import { browserPrograms } from './browser.ts'
import { patience } from '../worlds/own-hub.ts'
import { violations } from './axe.ts'
import { type PageWorld, startPageWorld } from './page-world.ts'

const program = requires(...browserPrograms)

const hostile = '<img src=x onerror="window.hacked=1">'

program.describe('activity', () => {
  let world: PageWorld
  beforeAll(async () => {
    world = await startPageWorld(program.path)
    await world.agent('ledger')
    await world.agent('checkout')
    const rule = 'when: { properties: { text: { pattern: prod } }, required: [text] }, reason: not in production'
    const source = `rules: [{ deny: terminal_send_text, ${rule} }]`
    await world.call('set_policy', { scope: 'session', target: 'ledger', source })
    const question = `CALL terminal_read_screen {}\nCALL terminal_send_text {"text":"psql prod"}\nFINAL keyed on ${hostile}`
    const script = [
      'THINK how are rows keyed',
      `CALL sessions_ask ${JSON.stringify({ session: 'ledger', text: question })}`,
      'CALL terminal_send_text {"text":"echo ask to push"}',
      'FINAL all done',
    ]
    await world.call('prompt_session', { session: 'checkout', text: script.join('\n'), wait: false })
  })
  afterAll(() => world[Symbol.asyncDispose]())

  async function pending(): Promise<Approval | undefined> {
    return ((await world.call('list_approvals', { session: 'checkout' }))['approvals'] as Approval[])[0]
  }

  test('a turn over two sessions is a waterfall: models, tools, one denied, one held, and it goes on live', async () => {
    await using viewer = await world.open('activity')
    const { page, complaints } = viewer
    const list = page.getByRole('region', { name: 'List of turns' })
    const item = list.getByRole('link', { name: /checkout/ })
    await item.getByText('2 sessions').waitFor()
    await item.getByText('1 denied').waitFor()
    await page.getByRole('heading', { name: 'Turn 1 of checkout' }).waitFor()

    const tree = page.getByRole('tree', { name: 'Spans' })
    const row = (name: RegExp) => tree.getByRole('treeitem', { name })
    await row(/^Held.*terminal_send_text.*waiting for you/).waitFor()
    await row(/^Denied.*terminal_send_text.*denied by rule 1/).waitFor()
    await row(/Turn 1.*asked by checkout/).waitFor()
    expect(await row(/100 in, 10 out/).count()).toBeGreaterThan(3)
    expect(await tree.locator('.b.hold').count()).toBe(1)
    const narrowest = await tree.locator('.b').evaluateAll((bars) => Math.min(...bars.map((bar) => bar.clientWidth)))
    expect(narrowest).toBeGreaterThanOrEqual(3)
    await page.getByRole('img', { name: /Track diagram: checkout asks ledger .*checkout is held/ }).waitFor()
    expect(await violations(page)).toEqual([])

    const detail = page.getByRole('region', { name: 'Span' })
    await detail.getByText('asked by rule 1').waitFor()
    await row(/^sessions_ask/).click()
    await detail.getByText('route session:ledger').waitFor()
    await detail.getByText('hop 1').waitFor()
    await detail
      .getByText(/keyed on <img/)
      .first()
      .waitFor()
    await page.keyboard.press('ArrowDown')
    await detail.getByText('asked by checkout').waitFor()
    await row(/^Denied/).click()
    await detail.getByText('denied by rule 1').waitFor()
    await detail.getByText('psql prod').waitFor()
    await detail.getByText('not in production').waitFor()

    await world.call('decide_approval', { id: (await pending())!.id, decision: 'approve' })
    await row(/^Held/).waitFor({ state: 'hidden' })
    await page.getByRole('main').getByRole('img', { name: 'Done' }).first().waitFor()
    expect(await tree.locator('.b.hold').count()).toBe(1)
    await page.getByText(/\d s held/).waitFor()
    await page.getByText('Cost today').waitFor()
    await expect.poll(() => page.locator('.cost .num').textContent(), patience).toMatch(/^\$0\.\d\d$/)
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
    expect(complaints).toEqual([])
  })

  test('turns are filtered, and a turn without the denied call does not match', async () => {
    await world.call('prompt_session', { session: 'ledger', text: 'FINAL nothing to do' })
    await using viewer = await world.open('activity')
    const { page } = viewer
    const items = page.getByRole('region', { name: 'List of turns' }).getByRole('link')
    await expect.poll(() => items.count(), patience).toBe(2)
    await page.getByRole('button', { name: 'Type: All turns' }).click()
    await page.getByRole('menuitemradio', { name: 'Denied' }).click()
    await expect.poll(() => items.count(), patience).toBe(1)
    await page.getByRole('button', { name: 'Session: All sessions' }).click()
    await page.getByRole('menuitemradio', { name: 'ledger' }).click()
    await expect.poll(() => items.allTextContents(), patience).toEqual([expect.stringContaining('asked by checkout')])
  })

  test('a thread is saved in the format of each provider', async () => {
    await using viewer = await world.open('activity')
    const { page } = viewer
    for (const [words, expected] of [
      ['Thread for Anthropic', '"tool_use"'],
      ['Thread for OpenAI Chat', '"tool_calls"'],
      ['Trace as JSON', '"turn-started"'],
    ] as const) {
      await page
        .getByRole('region', { name: 'List of turns' })
        .getByRole('link', { name: /2 sessions/ })
        .click()
      await page.getByRole('button', { name: 'Export' }).click()
      const saved = page.waitForEvent('download')
      await page.getByRole('menuitem', { name: words }).click()
      expect(readFileSync(await (await saved).path(), 'utf8')).toContain(expected)
    }
  })

  test('the event log grows by itself, is filtered, and can be paused', async () => {
    await using viewer = await world.open('activity/events')
    const { page, complaints } = viewer
    const log = page.getByRole('region', { name: 'Event log' })
    await log.getByRole('button', { name: 'turn-ended' }).first().waitFor()
    await page.getByRole('button', { name: 'Type: All types' }).click()
    await page.getByRole('menuitemradio', { name: 'session-created' }).click()
    const rows = log.locator('tbody tr')
    const created = log.getByRole('button', { name: 'session-created' })
    await created.first().waitFor()
    await expect.poll(async () => (await rows.count()) - (await created.count()), patience).toBe(0)
    const before = await rows.count()
    await world.call('create_session', { name: 'newcomer', template: 'shell', command: 'cat' })
    await log.getByRole('cell', { name: 'newcomer', exact: true }).first().waitFor()
    expect(await rows.count()).toBe(before + 1)

    await page.getByRole('button', { name: 'Pause' }).click()
    await world.call('create_session', { name: 'latecomer', template: 'shell', command: 'cat' })
    await page.getByRole('button', { name: '1 new' }).waitFor()
    expect(await rows.count()).toBe(before + 1)
    await page.getByRole('button', { name: 'Go on' }).click()
    await log.getByRole('cell', { name: 'latecomer', exact: true }).first().waitFor()

    await log.getByRole('button', { name: 'session-created' }).first().click()
    await log.getByText('"template": "shell"').waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByLabel('Find in events').fill('no such words')
    await page.getByText('No event is like this.').waitFor()
    expect(complaints).toEqual([])
  })

  test('usage is drawn by day and by session, and stands in a table', async () => {
    await using viewer = await world.open('activity/usage')
    const { page } = viewer
    const table = page.getByRole('table', { name: 'Usage by day and session' })
    await table.getByRole('row', { name: /checkout/ }).waitFor()
    await table.getByRole('row', { name: /ledger 2/ }).waitFor()
    await page.getByRole('img', { name: /^By day: .*\$/ }).waitFor()
    expect(await violations(page)).toEqual([])
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name: 'Usage as CSV' }).click()
    expect(readFileSync(await (await saved).path(), 'utf8')).toMatch(/^day,session,.*\n\d{4}-\d\d-\d\d,/)

    await world.call('prompt_session', { session: 'ledger', text: 'FINAL once more' })
    await table.getByRole('row', { name: /ledger 3/ }).waitFor()
  })

  test('a session shows its branch and its cost', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'signalbox-branch-'))
    execFileSync('git', ['init', '-q', '-b', 'fix/retry', directory])
    await world.call('create_session', { name: 'branched', template: 'agent', working_dir: directory })
    await world.call('prompt_session', { session: 'branched', text: 'FINAL ready' })
    await using viewer = await world.open('')
    const { page } = viewer
    const line = page.getByRole('main').getByRole('link', { name: /branched/ })
    await line.getByText('fix/retry').waitFor()
    await line.getByText('$0.05').waitFor()
    await line.click()
    const bar = page.getByRole('banner').or(page.locator('.sess-bar'))
    await bar.getByText('fix/retry').first().waitFor()
    await bar.getByText('$0.05').first().waitFor()
  })

  test('on a phone, a turn is one pane, and nothing scrolls sideways', async () => {
    await using viewer = await world.open('', devices['Pixel 7'])
    const { page } = viewer
    await page.getByRole('navigation', { name: 'Main, bottom' }).getByRole('link', { name: 'Activity' }).tap()
    const turn = page.getByRole('link', { name: /2 sessions/ })
    await turn.waitFor()
    expect(await violations(page)).toEqual([])
    await turn.tap()
    await page.getByRole('treeitem', { name: /^Denied/ }).tap()
    await page.getByRole('region', { name: 'Span' }).getByText('denied by rule 1').waitFor()
    await expectNoSidewaysScroll(page)
    expect(await violations(page)).toEqual([])
    await page.getByRole('link', { name: 'Back' }).tap()
    for (const tab of ['Events', 'Usage']) {
      await page.getByRole('navigation', { name: 'Activity' }).getByRole('link', { name: tab }).tap()
      await page.getByRole('table').waitFor()
      await expectNoSidewaysScroll(page)
      expect(await violations(page)).toEqual([])
    }
  })
})

async function expectNoSidewaysScroll(page: Page): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
}

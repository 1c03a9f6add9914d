/** Repositories on the page: added with a progress bar, searched, asked, and read at the cited line. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Page, devices } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDemoRepository } from '../fixtures/demo-repository.ts'
import { requires } from '../harness/requires.ts'
import { browserPrograms } from './browser.ts'
import { patience } from '../worlds/own-hub.ts'
import { violations } from './axe.ts'
import { type PageWorld, startPageWorld } from './page-world.ts'

const program = requires(...browserPrograms)
const hostile = '<img src=x onerror="window.hacked=1">'

program.describe('repositories on the page', () => {
  let world: PageWorld
  let folder: string

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-page-repositories-')))
    createDemoRepository(join(folder, 'demo'))
    world = await startPageWorld(program.path)
  })
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  test('a folder is added with a progress bar, and a wrong one is refused in place', async () => {
    const many = join(folder, 'many')
    mkdirSync(many)
    const text = 'export const value = 1\n'.repeat(40)
    for (let count = 0; count < 400; count++) writeFileSync(join(many, `part-${count}.ts`), text)
    await using viewer = await world.open('repositories')
    const { page, complaints } = viewer
    await page.getByRole('heading', { name: 'No repository is indexed yet' }).waitFor()
    expect(await violations(page)).toEqual([])
    const seen = await collectProgress(page)

    await page.keyboard.press('n')
    const dialog = page.getByRole('dialog', { name: 'Add a repository' })
    await dialog.getByLabel('Folder').fill(join(folder, 'missing'))
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByRole('alert').filter({ hasText: 'missing' }).waitFor()
    expect(await violations(page)).toEqual([])
    await dialog.getByLabel('Folder').fill(many)
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('article', { name: 'many' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/repositories/many')
    await page.getByRole('link', { name: 'many' }).getByText('400 files').waitFor()
    expect((await seen()).some((value) => value > 0 && value < 100)).toBe(true)
    expect(complaints).toEqual([])
  })

  test('an answer streams, and its citation opens the file at the line', async () => {
    await world.call('add_repository', { path: join(folder, 'demo') })
    await using viewer = await world.open('repositories/demo')
    const { page, complaints } = viewer
    await page
      .getByLabel('Question')
      .fill(
        [
          'THINK Where is the gate?',
          'CALL list {}',
          'STALL',
          `FINAL It is \`authorize\` (src/gate.ts:4-6), by rules (src/rules.ts:1). ${hostile}`,
        ].join('\n'),
      )
    await page.keyboard.press('Control+Enter')
    const answer = page.getByRole('region', { name: 'Answer' })
    await answer.getByText('Where is the gate?').last().waitFor()
    await expect.poll(() => world.model.stalled, patience).toBe(1)
    await answer.getByText('The answer is being written.').waitFor()
    expect(await violations(page)).toEqual([])
    world.model.release()
    await answer.getByText('2 citations; all match the files').waitFor()
    await answer.getByText('onerror').last().waitFor()
    expect(await answer.locator('img').count()).toBe(0)

    await answer.getByRole('button', { name: 'src/gate.ts:4-6' }).click()
    const file = page.getByRole('complementary', { name: 'Cited file' })
    await file.locator('tr.hit').first().waitFor()
    expect(await file.locator('tr.hit .ln').allTextContents()).toEqual(['4', '5', '6'])
    expect(await file.locator('tr.hit').first().innerText()).toContain('export function authorize')
    await file.getByRole('button', { name: 'Next citation' }).click()
    await file.locator('tr.hit').filter({ hasText: 'export const rules' }).waitFor()
    expect(await violations(page)).toEqual([])

    // Another question, and back to the first.
    await page.getByLabel('Question').fill('FINAL Nothing about it.')
    await page
      .getByRole('button', { name: /^Ask Ctrl/ })
      .or(page.getByRole('button', { name: 'Ask' }).last())
      .first()
      .click()
    await answer.getByText('Nothing about it.').last().waitFor()
    await page.getByRole('button', { name: /Where is the gate/ }).click()
    await answer.getByText('2 citations; all match the files').waitFor()
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
    expect(complaints).toEqual([])
  })

  test('it is searched by words, by symbol and by a pattern, a bad pattern says why, and its files are read', async () => {
    await world.call('add_repository', { path: join(folder, 'demo') })
    await using viewer = await world.open('repositories/demo')
    const { page } = viewer
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    const matches = page.getByRole('region', { name: 'Matches' })
    await page.getByRole('searchbox').fill('authorize')
    await page.keyboard.press('Enter')
    await matches
      .getByRole('button', { name: /src\/gate\.ts/ })
      .first()
      .click()
    await page.locator('tr.hit').filter({ hasText: 'authorize' }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Symbol' }).click()
    await matches.getByText('1 match found for “authorize”').waitFor()
    await page.getByRole('searchbox').fill('rule(s|z)')
    await page.getByRole('button', { name: 'Regex' }).click()
    await matches.getByRole('button', { name: /src\/rules\.ts/ }).waitFor()
    await page.getByRole('searchbox').fill('(')
    await page.keyboard.press('Enter')
    await matches.getByRole('alert').waitFor()

    await page.getByRole('button', { name: 'Files', exact: true }).click()
    await page.getByLabel('Filter files').fill('rules')
    await page.getByRole('button', { name: 'src/gate.ts' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'src/rules.ts' }).click()
    await page.getByRole('region', { name: 'Source' }).getByText('export const rules').waitFor()
    expect(await violations(page)).toEqual([])
  })

  test('a repository is refreshed after a change, and removed', async () => {
    const path = createDemoRepository(join(folder, 'changing'))
    await world.call('add_repository', { path })
    await using viewer = await world.open('repositories/changing')
    const { page } = viewer
    await page.getByRole('article', { name: 'changing' }).waitFor()
    writeFileSync(join(path, 'src/new.ts'), 'export const fresh = 1\n')
    await page.getByRole('button', { name: 'More about changing' }).click()
    await page.getByRole('menuitem', { name: 'Refresh the index' }).click()
    await page.getByRole('link', { name: 'changing' }).getByText('4 files').waitFor()
    await page.getByRole('button', { name: 'More about changing' }).click()
    await page.getByRole('menuitem', { name: 'Remove…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the index' }).click()
    // Behind an open dialog, no link has a role.
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: 'changing' }).waitFor({ state: 'detached' })
    const { repositories } = await world.call('list_repositories')
    expect(repositories).not.toContainEqual(expect.objectContaining({ name: 'changing' }))
  })

  test('on a phone the file opens below the answer, and nothing scrolls sideways', async () => {
    await world.call('add_repository', { path: join(folder, 'demo') })
    await using viewer = await world.open('repositories', devices['Pixel 7'])
    const { page } = viewer
    await page.getByRole('link', { name: 'demo' }).first().waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('link', { name: 'demo' }).first().tap()
    await page.getByLabel('Question').fill('FINAL See (src/gate.ts:4-6).')
    await page.getByRole('button', { name: 'Ask' }).last().tap()
    await page.getByRole('button', { name: 'src/gate.ts:4-6' }).tap()
    await page.locator('tr.hit').first().waitFor()
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    await page.getByRole('button', { name: 'Back' }).tap()
    await page.getByRole('link', { name: 'demo' }).first().waitFor()
  })
})

/** Notes the values that progress bars have shown. */
async function collectProgress(page: Page): Promise<() => Promise<readonly number[]>> {
  await page.evaluate(() => {
    const seen: number[] = []
    Object.assign(window, { seenProgress: seen })
    const note = () => {
      for (const bar of document.querySelectorAll('[role=progressbar]')) seen.push(Number(bar.ariaValueNow))
    }
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, attributes: true })
  })
  return () => page.evaluate(() => (window as unknown as { seenProgress: readonly number[] }).seenProgress)
}

/** Two people at one session: one types, the other reads along. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shippedHub } from '../worlds/hub-process.ts'
import { requires } from '../harness/requires.ts'
import { type OwnHub, patience, startOwnHub } from '../worlds/own-hub.ts'
import { browserPrograms, openBrowser } from './browser.ts'
import { endSessions, follow, screenOf, showsScreenOfHub, startShell } from './follow-page.ts'

const program = requires(...browserPrograms)

program.describe('two viewers of one session', () => {
  const opened = new AsyncDisposableStack()
  let hub: OwnHub
  let browser: Browser

  beforeAll(async () => {
    hub = opened.use(await startOwnHub({ program: shippedHub }))
    opened.defer(() => endSessions(hub))
    browser = opened.use(await openBrowser(program.path))
  })
  afterAll(() => opened.disposeAsync())

  test('the first to type becomes the writer, and the other reads along and can take over', async () => {
    await startShell(hub, 'shared')
    await using anna = await follow(browser, hub, 'shared')
    await using ben = await follow(browser, hub, 'shared')
    await anna.sees('$')
    await ben.sees('$')
    await ben.keyboard.filter({ hasText: 'type to take the keyboard' }).waitFor()

    await anna.type('echo from-anna\n')
    await ben.sees(/^from-anna$/)
    await ben.keyboard.filter({ hasText: 'has the keyboard' }).waitFor()
    await anna.keyboard.filter({ hasText: 'You have the keyboard' }).waitFor()

    await ben.type('echo from-ben-too-early\n')
    await ben.page.getByRole('button', { name: 'Take over' }).click()
    await anna.keyboard.filter({ hasText: 'Watching' }).waitFor()
    await ben.keyboard.filter({ hasText: 'You have the keyboard' }).waitFor()
    await ben.type('echo from-ben\n')
    await anna.sees(/^from-ben$/)

    await anna.type('echo from-anna-too-late\n')
    await ben.type('echo done\n')
    await anna.sees(/^done$/)
    const screen = (await screenOf(hub, 'shared')).join('\n')
    expect(screen).not.toContain('too-early')
    expect(screen).not.toContain('too-late')
    expect([...anna.complaints, ...ben.complaints]).toEqual([])
  })

  test('both see the same screen in the size of the writer', async () => {
    await startShell(hub, 'sizes')
    await using wide = await follow(browser, hub, 'sizes', { viewport: { width: 1400, height: 800 } })
    await using small = await follow(browser, hub, 'sizes', { viewport: { width: 500, height: 600 } })
    await wide.sees('$')
    const atFirst = await wide.size()
    await wide.type(`printf '%0.s=' $(seq 150); echo\n`)
    await expect.poll(() => wide.size(), patience).not.toBe(atFirst)
    await expect.poll(() => small.size(), patience).toBe(await wide.size())
    for (const viewer of [wide, small]) await showsScreenOfHub(viewer, hub, 'sizes')
    await expect.poll(() => overflow(), patience).toEqual({ right: true, bottom: true })

    const before = await wide.size()
    await small.page.getByRole('button', { name: 'Take over' }).click()
    await expect.poll(() => small.size(), patience).not.toBe(before)
    await expect.poll(() => wide.size(), patience).toBe(await small.size())
    for (const viewer of [wide, small]) await showsScreenOfHub(viewer, hub, 'sizes')

    /** Whether the whole terminal is visible on the small page. */
    function overflow() {
      return small.page.evaluate(() => {
        const screen = document.querySelector('.xterm-screen')!.getBoundingClientRect()
        const place = document.querySelector('.tplace')!.getBoundingClientRect()
        return { right: screen.right <= place.right + 1, bottom: screen.bottom <= place.bottom + 1 }
      })
    }
  })

  test('the writer stays the writer after a reload', async () => {
    await startShell(hub, 'reloaded')
    await using anna = await follow(browser, hub, 'reloaded')
    await using ben = await follow(browser, hub, 'reloaded')
    await anna.sees('$')
    await anna.type('true\n')
    await ben.keyboard.filter({ hasText: 'Watching' }).waitFor()
    await anna.page.reload()
    await anna.sees('$')
    await anna.keyboard.filter({ hasText: 'You have the keyboard' }).waitFor()
  })
})

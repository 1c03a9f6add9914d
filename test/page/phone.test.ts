/** The follow page on a phone: the keys that its keyboard lacks, and a layout that fits. */
import { type Browser, devices } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shippedHub } from '../worlds/hub-process.ts'
import { requires } from '../harness/requires.ts'
import { type OwnHub, patience, startOwnHub } from '../worlds/own-hub.ts'
import { browserPrograms, openBrowser } from './browser.ts'
import { endSessions, follow, startCommand, startShell } from './follow-page.ts'

const program = requires(...browserPrograms)
const phone = devices['Pixel 7']

program.describe('the follow page on a phone', () => {
  const opened = new AsyncDisposableStack()
  let hub: OwnHub
  let browser: Browser

  beforeAll(async () => {
    hub = opened.use(await startOwnHub({ program: shippedHub }))
    opened.defer(() => endSessions(hub))
    browser = opened.use(await openBrowser(program.path))
  })
  afterAll(() => opened.disposeAsync())

  test('sends the text of the field with Enter', async () => {
    await startShell(hub, 'field')
    await using viewer = await follow(browser, hub, 'field', phone)
    await viewer.sees('$')
    await viewer.page.getByLabel('Text to type').fill('echo "sent-$((40 + 2)) 日本"')
    await viewer.page.getByRole('button', { name: 'Send' }).tap()
    await viewer.sees(/^sent-42 日本$/)
    expect(await viewer.page.getByLabel('Text to type').inputValue()).toBe('')
    expect(viewer.complaints).toEqual([])
  })

  test('the buttons send the same bytes as a keyboard, also in application cursor mode', async () => {
    const show = 'stty raw -echo; echo ready; cat | od -An -tx1 -w1 -v'
    await startCommand(hub, 'keys', String.raw`printf '\e[?1h'; ${show}`)
    await using viewer = await follow(browser, hub, 'keys', phone)
    await viewer.sees('ready')
    for (const name of ['Esc', 'Tab', 'Up', 'Down', 'Right', 'Left', 'Enter'] as const) {
      await viewer.page.getByRole('button', { name, exact: true }).tap()
    }
    await viewer.page.getByRole('button', { name: 'Ctrl' }).tap()
    expect(await viewer.page.getByRole('button', { name: 'Ctrl' }).getAttribute('aria-pressed')).toBe('true')
    await viewer.page.getByLabel('Text to type').pressSequentially('c')
    const [arrows, control] = [['41', '42', '43', '44'].flatMap((letter) => ['1b', '4f', letter]), '03']
    const bytes = async () => (await viewer.rows()).join(' ').match(/\b[0-9a-f]{2}\b/g) ?? []
    await expect.poll(bytes, patience).toEqual(['1b', '09', ...arrows, '0d', control])
    expect(await viewer.page.getByRole('button', { name: 'Ctrl' }).getAttribute('aria-pressed')).toBe('false')
  })

  test('everything is visible while reading and typing, in portrait and landscape', async () => {
    await startShell(hub, 'sight')
    await using viewer = await follow(browser, hub, 'sight', phone)
    await viewer.sees('$')
    for (const { width, height } of [phone.viewport, { width: 740, height: 360 }]) {
      await viewer.page.setViewportSize({ width, height })
      await expect.poll(outOfSight, patience).toEqual([])
      await viewer.page.getByRole('button', { name: 'Enter' }).tap()
      await viewer.keyboard.filter({ hasText: 'You have the keyboard' }).waitFor()
      await expect.poll(outOfSight, patience).toEqual([])
    }

    /** The parts that are not fully visible, with their positions. */
    function outOfSight() {
      return viewer.page.evaluate(() => {
        const { scrollWidth, scrollHeight } = document.documentElement
        const page = { name: 'the page', left: 0, top: 0, right: scrollWidth, bottom: scrollHeight }
        const parts = ['header', '.xterm-screen', '.touch-keys'].map((name) => {
          const { left, top, right, bottom } = document.querySelector(name)!.getBoundingClientRect()
          return { name, left, top, right, bottom }
        })
        return [page, ...parts]
          .filter(
            ({ left, top, right, bottom }) => left < 0 || top < 0 || right > innerWidth + 1 || bottom > innerHeight + 1,
          )
          .map((part) => ({ ...part, innerWidth, innerHeight }))
      })
    }
  })
})

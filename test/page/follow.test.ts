/** The follow page in a real browser, on sessions with real terminals. */
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shippedHub } from '../worlds/hub-process.ts'
import { requires } from '../harness/requires.ts'
import { type OwnHub, patience, startOwnHub } from '../worlds/own-hub.ts'
import { browserPrograms, openBrowser } from './browser.ts'
import {
  endSessions,
  follow,
  screenOf,
  showsScreenOfHub,
  startCommand,
  startCounter,
  startShell,
} from './follow-page.ts'

const program = requires(...browserPrograms)
const signalbox = fileURLToPath(new URL('../../bin/signalbox', import.meta.url))

program.describe('the follow page', () => {
  const opened = new AsyncDisposableStack()
  let hub: OwnHub
  let browser: Browser

  beforeAll(async () => {
    hub = opened.use(await startOwnHub({ program: shippedHub }))
    opened.defer(() => endSessions(hub))
    browser = opened.use(await openBrowser(program.path))
  })
  afterAll(() => opened.disposeAsync())

  test('shows earlier output and the program’s answer to typed input', async () => {
    await startShell(hub, 'echo')
    await hub.call('send_text', { session: 'echo', text: 'echo earlier-$((40 + 1))\r' })
    await hub.call('wait_for', { session: 'echo', for: 'text', value: 'earlier-41' })
    await using viewer = await follow(browser, hub, 'echo')
    await viewer.sees(/^earlier-41$/)
    await viewer.type('echo "typed-$((40 + 2)) äöü"\n')
    await viewer.sees(/^typed-42 äöü$/)
    await viewer.keyboard.filter({ hasText: 'You have the keyboard' }).waitFor()
    expect(viewer.complaints).toEqual([])
  })

  test('shows colours, wide characters and the window title as the program sets them', async () => {
    await startCommand(
      hub,
      'looks',
      String.raw`printf '\e]2;at work\a\e[38;2;255;100;0mtrue\e[0m \e[1;32mbold\e[0m 日本|\n'; cat`,
    )
    await using viewer = await follow(browser, hub, 'looks')
    await viewer.sees('true bold 日本|')
    const colourOf = (text: string) =>
      viewer.page
        .locator('.xterm-rows span', { hasText: text })
        .first()
        .evaluate((span) => getComputedStyle(span).color)
    expect(await colourOf('true')).toBe('rgb(255, 100, 0)')
    expect(await colourOf('bold')).toBe('rgb(134, 221, 174)')
    await expect.poll(() => viewer.page.title(), patience).toBe('looks: at work · Signalbox')
    await hub.call('set_window_title', { session: 'looks', title: 'by hand' })
    await expect.poll(() => viewer.page.title(), patience).toBe('looks: by hand · Signalbox')
    expect(viewer.complaints).toEqual([])
  })

  test('marks a session that waits for a person in the title of the page', async () => {
    const report = `'${signalbox}' report`
    await startCommand(hub, 'asks', `read -r; ${report} waiting tea; read -r; ${report} working; cat`)
    await using viewer = await follow(browser, hub, 'asks')
    await expect.poll(() => viewer.page.title(), patience).toBe('asks · Signalbox')
    await viewer.type('\n')
    await expect.poll(() => viewer.page.title(), patience).toBe('(1) asks · Signalbox')
    await viewer.type('\n')
    await expect.poll(() => viewer.page.title(), patience).toBe('asks · Signalbox')
  })

  test('places wide characters and any number of combining marks as the hub does', async () => {
    const marks = String.raw`\u0301`.repeat(50)
    const lines = [String.raw`\u0301lone|`, `e${marks}|many`, String.raw`👩‍👩‍👧|🇩🇪|☎️|`, '日本語|カタカナ|']
    await startCommand(hub, 'widths', `read; printf '${lines.join(String.raw`\n`)}\\nEND'; cat`)
    await using viewer = await follow(browser, hub, 'widths')
    await hub.call('send_input', { name: 'widths', text: '' })
    await viewer.sees('END')
    await showsScreenOfHub(viewer, hub, 'widths')
  })

  test('the page of the writer decides the size, and the program gets each change of the window', async () => {
    await startShell(hub, 'size')
    await using viewer = await follow(browser, hub, 'size', { viewport: { width: 900, height: 500 } })
    await viewer.sees('$')
    const atFirst = await viewer.size()
    await viewer.type('true\n')
    await expect.poll(() => viewer.size(), patience).not.toBe(atFirst)
    const narrow = await viewer.size()
    await viewer.page.setViewportSize({ width: 1200, height: 800 })
    await expect.poll(() => viewer.size(), patience).not.toBe(narrow)
    const [cols, rows] = (await viewer.size()).split('×')
    await viewer.type('clear; stty size\n')
    await viewer.sees(new RegExp(`^${rows} ${cols}$`))
    expect(await viewer.rows()).toHaveLength(Number(rows))
  })

  test('a reload in the middle of output shows the screen of the hub, with all lines above it', async () => {
    const counter = await startCounter(hub, 'reload')
    await using viewer = await follow(browser, hub, 'reload')
    await viewer.sees(/^line 1\d\d$/)
    await viewer.page.reload()
    await viewer.sees(/^line 2\d\d$/)
    await counter.stop()
    await viewer.sees('END')
    await showsScreenOfHub(viewer, hub, 'reload')
    expectAllLines(await viewer.scrollUp())
  })

  test('typed and pasted input arrives in order', async () => {
    await startCommand(hub, 'order', 'stty raw -echo; echo ready; head -c 60000 | md5sum; cat')
    await using viewer = await follow(browser, hub, 'order')
    await viewer.sees('ready')
    // The next call must not overtake a delayed one.
    let calls = 0
    await viewer.page.route('**/mcp', async (route) => {
      const isTyping = route.request().postData()?.includes('"send_text"')
      if (isTyping && ++calls % 2 === 1) await viewer.page.waitForTimeout(100)
      await route.continue()
    })
    const typed = 'abcdefghij'.repeat(20)
    const pasted = Array.from({ length: 59_800 }, (_, index) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[(index * 7) % 26]).join('')
    await viewer.type(typed)
    await viewer.page.locator('.xterm-helper-textarea').evaluate((area, text) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', text)
      area.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }))
    }, pasted)
    await viewer.sees(
      createHash('md5')
        .update(typed + pasted)
        .digest('hex'),
    )
  })

  test('the hub answers a program’s terminal queries once, however many viewers there are', async () => {
    const questions = String.raw`\e[2J\e[H\e[c\e[>c\e[=c\e[5n\e[6n\e[?6n\e[?25$p\e[4$p\e[>q\e]10;?\a\e]11;?\a\e]4;1;?\a\eP$qm\e\\`
    const ask = `stty -echo -icanon min 0 time 20; printf '${questions}' > /dev/tty; answers=$(cat | od -An -c | tr -d ' \\n'); stty sane; echo; echo "answers: \${#answers} $(echo "$answers" | md5sum)"; read`
    await startCommand(hub, 'alone', ask)
    await hub.call('wait_for', { session: 'alone', for: 'text', value: 'answers: ' })
    const alone = (await screenOf(hub, 'alone')).find((row) => row.startsWith('answers: '))
    expect(alone).not.toMatch(/^answers: 0 /)

    await startCommand(hub, 'watched', `read; echo typed; read; ${ask}`)
    await using first = await follow(browser, hub, 'watched')
    await using second = await follow(browser, hub, 'watched')
    await expect.poll(() => first.size(), patience).not.toBe('')
    const atFirst = await first.size()
    await first.type('\n')
    await second.keyboard.filter({ hasText: 'has the keyboard' }).waitFor()
    await expect.poll(() => second.size(), patience).not.toBe(atFirst)
    await second.sees('typed')
    await hub.call('send_input', { name: 'watched', text: '' })
    await first.sees(/^answers: /)
    await second.sees(/^answers: /)
    expect(await first.rows()).toContain(alone)
  })

  test('shows the last screen of an ended session, and how it ended', async () => {
    await startCommand(hub, 'ended', 'echo last words; exit 3')
    await hub.call('wait_session', { name: 'ended', for: 'exit' })
    await using viewer = await follow(browser, hub, 'ended')
    await viewer.sees(/^last words$/)
    await viewer.end.filter({ hasText: 'exit code 3' }).waitFor()
  })

  test('reports the end of a session while it is viewed', async () => {
    await startCommand(hub, 'ending', 'read; echo last words; exit 4')
    await using viewer = await follow(browser, hub, 'ending')
    await viewer.type('\n')
    await viewer.sees(/^last words$/)
    await viewer.end.filter({ hasText: 'exit code 4' }).waitFor()
    expect(viewer.complaints).toEqual([])
  })

  test('loses no byte of output when the hub is killed and starts again', async () => {
    const counter = await startCounter(hub, 'survivor')
    await using viewer = await follow(browser, hub, 'survivor')
    await viewer.sees(/^line \d+$/)
    const row = viewer.page.locator('.xterm-rows > div').first()
    const rowHeight = async () => (await row.boundingBox())?.height
    const heightBefore = await rowHeight()
    const isReported = viewer.lost.waitFor()
    await hub.restart('SIGKILL')
    await isReported
    await expect.poll(() => viewer.lost.isVisible(), patience).toBe(false)
    // The banner took some height from the terminal. While its letters grow again, a page up may skip lines.
    await expect.poll(rowHeight, patience).toBe(heightBefore)
    await counter.stop()
    await viewer.sees('END')
    await showsScreenOfHub(viewer, hub, 'survivor')
    expectAllLines(await viewer.scrollUp())
    await viewer.type('still here\n')
    await viewer.sees(/^still here$/)
  })

  test('a hidden tab makes no requests, and continues where it was when it is visible again', async () => {
    await startShell(hub, 'hidden')
    await using viewer = await follow(browser, hub, 'hidden')
    await viewer.sees('$')
    await expect.poll(() => hub.metric('signalbox_streams'), patience).toBeGreaterThan(0)
    await setHidden(true)
    await expect.poll(() => hub.metric('signalbox_streams'), patience).toBe(0)
    await hub.call('send_text', { session: 'hidden', text: 'echo meanwhile-$((1 + 1))\r' })
    await hub.call('wait_for', { session: 'hidden', for: 'text', value: 'meanwhile-2' })
    expect((await viewer.rows()).join('\n')).not.toContain('meanwhile-2')
    await setHidden(false)
    await viewer.sees(/^meanwhile-2$/)

    function setHidden(isHidden: boolean) {
      return viewer.page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { value, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      }, isHidden)
    }
  })

  test('several terminals in one browser leave free connections for typing, and all receive changes', async () => {
    await startCommand(hub, 'side', 'cat')
    await using first = await follow(browser, hub, 'side')
    const { page } = first
    const tabs = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const tab = await page.context().newPage()
        await tab.goto(`http://127.0.0.1:${hub.port}/terminal/side#token=${hub.token}`)
        return tab
      }),
    )
    await first.type('all can read\n')
    for (const tab of tabs) await tab.locator('.xterm-rows').filter({ hasText: 'all can read' }).waitFor()
    await first.type('\x04')
    for (const tab of tabs)
      await tab.getByRole('status', { name: 'End of the session' }).filter({ hasText: 'exit code 0' }).waitFor()
  })

  test('hostile output that would block an emulator does not block the page', async () => {
    const hostile = String.raw`x\e[2147483647b\e[H\e[2147483647L\e[2147483647I`
    await startCommand(hub, 'hostile', `echo ready; read; printf '${hostile}'; cat`)
    await using viewer = await follow(browser, hub, 'hostile')
    await viewer.sees('ready')
    await hub.call('send_input', { name: 'hostile', text: '' })
    // Its echo may be erased before it is shown.
    await hub.call('send_input', { name: 'hostile', text: 'alive', force: true })
    await viewer.sees(/alive$/)
    await showsScreenOfHub(viewer, hub, 'hostile')
  })

  test('opens a link in a tab that cannot access this one', async () => {
    await startCommand(hub, 'links', `echo http://127.0.0.1:${hub.port}/healthz; cat`)
    await using viewer = await follow(browser, hub, 'links')
    await viewer.sees('/healthz')
    const screen = viewer.page.locator('.xterm-screen')
    await screen.hover({ position: { x: 60, y: 8 } })
    await viewer.page.locator('.xterm-cursor-pointer').waitFor()
    const [tab] = await Promise.all([
      viewer.page.context().waitForEvent('page'),
      screen.click({ position: { x: 60, y: 8 } }),
    ])
    await tab.waitForURL('**/healthz')
    expect(new URL(tab.url()).pathname).toBe('/healthz')
    expect(await tab.evaluate(() => opener)).toBe(null)
  })
})

/** No line is missing between the first and the last. */
function expectAllLines(rows: readonly string[]): void {
  const numbers = rows.flatMap((row) => /^line (\d+)$/.exec(row)?.[1] ?? []).map(Number)
  const sorted = numbers.toSorted((one, other) => one - other)
  expect(sorted).toEqual(Array.from({ length: Math.max(...numbers) }, (_, index) => index + 1))
  expect(sorted.length).toBeGreaterThan(50)
}

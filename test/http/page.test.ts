/** The page in a real browser: logging in by the printed link, by hand, and out again. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { shippedHub } from '../harness/hub-process.ts'
import { requires } from '../harness/requires.ts'
import { openBrowser } from '../page/browser.ts'
import { type OwnHub, startOwnHub } from './own-hub.ts'

const program = requires('chromium')

program.describe('the page', () => {
  const opened = new AsyncDisposableStack()
  let hub: OwnHub
  let browser: Browser
  let page: Page
  let complaints: string[]
  let addresses: string[]

  beforeAll(async () => {
    hub = opened.use(await startOwnHub({ program: shippedHub }))
    browser = opened.use(await openBrowser(program.path))
  })
  afterAll(() => opened.disposeAsync())

  beforeEach(async () => {
    page = await browser.newPage()
    complaints = []
    addresses = []
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
    page.on('pageerror', (error) => void complaints.push(error.message))
    page.on('request', (request) => void addresses.push(request.url(), request.headers()['referer'] ?? ''))
  })
  afterEach(() => page.close())

  const origin = () => `http://127.0.0.1:${hub.port}`
  const loginUrl = () => `${origin()}/#token=${hub.token}`
  const state = () => page.getByRole('status')
  const says = (words: string) => state().filter({ hasText: words }).waitFor()

  test('opened by the printed link it shows the hub, and the token is gone from the address bar and the history', async () => {
    await page.goto(loginUrl())
    await says('The hub is ready.')

    expect(page.url()).toBe(`${origin()}/`)
    expect(await page.locator('#hub').isVisible()).toBe(true)
    expect(await page.locator('#login').isVisible()).toBe(false)
    expect(await page.locator('#address').textContent()).toBe(`${origin()}/mcp`)
    await page.goto('about:blank')
    await page.goBack()
    await says('The hub is ready.')
    expect(page.url()).toBe(`${origin()}/`)
    expect(complaints).toEqual([])
  })

  test('the token travels in no address and in no Referer, and the page asks nobody else', async () => {
    await page.goto(loginUrl())
    await says('The hub is ready.')
    // What the browser itself opens keeps the fragment to itself; only the page's own requests count.
    const sent = addresses.map((address) => address.split('#')[0] ?? '')
    expect(sent.filter((address) => address.includes(hub.token))).toEqual([])
    const isOwn = (address: string) => address === '' || address.startsWith(origin()) || address.startsWith('data:')
    expect(sent.filter((address) => !isOwn(address))).toEqual([])
  })

  test('a wrong token shows why, and the form; a right one typed there logs in, over a reload as well', async () => {
    await page.goto(`${origin()}/#token=sb_human_wrong`)
    await says('unknown')
    expect(page.url()).toBe(`${origin()}/`)
    await page.getByLabel('Token').fill(`  ${hub.token}  `)
    await page.getByRole('button', { name: 'Log in' }).click()
    await says('The hub is ready.')
    await page.reload()
    await says('The hub is ready.')
  })

  test('without a token it asks for one, takes the link in the same tab too, and forgets it on logging out', async () => {
    await page.goto(origin())
    await says('Not logged in.')
    expect(await page.getByLabel('Token').isVisible()).toBe(true)
    expect(await page.getByLabel('Token').getAttribute('type')).toBe('password')
    await page.getByRole('button', { name: 'Log in' }).waitFor()
    await page.goto(loginUrl())
    await says('The hub is ready.')
    expect(page.url()).toBe(`${origin()}/`)
    await page.getByRole('button', { name: 'Log out' }).click()
    await says('Not logged in.')
    await page.reload()
    await says('Not logged in.')
  })

  test('a token that was revoked shows the form', async () => {
    const { token, id } = await hub.call('issue_token', { role: 'human' })
    await page.goto(`${origin()}/#token=${String(token)}`)
    await says('The hub is ready.')
    await hub.call('revoke_token', { id })
    await page.reload()
    await says('revoked')
    expect(await page.getByLabel('Token').isVisible()).toBe(true)
  })

  test.each([
    ['a phone', { width: 360, height: 740 }],
    ['a desk', { width: 1280, height: 800 }],
  ])('fits %s without scrolling sideways', async (_, size) => {
    await page.setViewportSize(size)
    for (const address of [loginUrl(), `${origin()}/#token=wrong`]) {
      await page.goto(address)
      await says(address === loginUrl() ? 'ready' : 'unknown')
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      expect(overflow).toBe(0)
    }
  })
})

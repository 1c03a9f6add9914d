/** The page in a real browser: log in with the printed link or by hand, and log out. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { shippedHub } from '../worlds/hub-process.ts'
import { requires } from '../harness/requires.ts'
import { browserPrograms, openBrowser } from '../page/browser.ts'
import { type OwnHub, startOwnHub } from '../worlds/own-hub.ts'

const program = requires(...browserPrograms)

program.describe('the page', () => {
  const opened = new AsyncDisposableStack()
  let hub: OwnHub
  let browser: Browser
  let page: Page
  let errors: string[]
  let addresses: string[]

  beforeAll(async () => {
    hub = opened.use(await startOwnHub({ program: shippedHub }))
    browser = opened.use(await openBrowser(program.path))
  })
  afterAll(() => opened.disposeAsync())

  beforeEach(async () => {
    page = await browser.newPage()
    errors = []
    addresses = []
    page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())))
    page.on('pageerror', (error) => void errors.push(error.message))
    page.on('request', (request) => void addresses.push(request.url(), request.headers()['referer'] ?? ''))
  })
  afterEach(() => page.close())

  const origin = () => `http://127.0.0.1:${hub.port}`
  const loginUrl = () => `${origin()}/#token=${hub.token}`
  const isLoggedIn = () =>
    page
      .getByRole('link', { name: /^Sessions/ })
      .first()
      .waitFor()
  const asksForToken = () => page.getByRole('button', { name: 'Log in' }).waitFor()
  const says = (words: string) => page.getByRole('status').filter({ hasText: words }).waitFor()

  test('opened with the printed link, shows the hub and removes the token from the address bar and the history', async () => {
    await page.goto(loginUrl())
    await isLoggedIn()

    expect(page.url()).toBe(`${origin()}/`)
    expect(await page.getByLabel('Token').isVisible()).toBe(false)
    await page.goto('about:blank')
    await page.goBack()
    await isLoggedIn()
    expect(page.url()).toBe(`${origin()}/`)
    expect(errors).toEqual([])
  })

  test('sends the token in no address and no Referer, and makes no requests to other sites', async () => {
    await page.goto(loginUrl())
    await isLoggedIn()
    // The browser never sends the fragment of the address it opens.
    const sent = addresses.map((address) => address.split('#')[0] ?? '')
    expect(sent.filter((address) => address.includes(hub.token))).toEqual([])
    const isOwn = (address: string) => address === '' || address.startsWith(origin()) || address.startsWith('data:')
    expect(sent.filter((address) => !isOwn(address))).toEqual([])
  })

  test('shows an error and the form for a wrong token, and stays logged in after a reload with a right one', async () => {
    await page.goto(`${origin()}/#token=sb_human_wrong`)
    await says('unknown')
    expect(page.url()).toBe(`${origin()}/`)
    await page.getByLabel('Token').fill(`  ${hub.token}  `)
    await page.getByRole('button', { name: 'Log in' }).click()
    await isLoggedIn()
    await page.reload()
    await isLoggedIn()
  })

  test('asks for a token, accepts the link in the same tab, and forgets the token at logout', async () => {
    await page.goto(origin())
    await asksForToken()
    expect(await page.getByLabel('Token').isVisible()).toBe(true)
    expect(await page.getByLabel('Token').getAttribute('type')).toBe('password')
    await page.goto(loginUrl())
    await isLoggedIn()
    expect(page.url()).toBe(`${origin()}/`)
    await page.getByRole('button', { name: 'Log out' }).click()
    await asksForToken()
    await page.reload()
    await asksForToken()
  })

  test('a revoked token leads back to the form without a reload', async () => {
    const { token, id } = await hub.call('issue_token', { role: 'human' })
    await page.goto(`${origin()}/#token=${String(token)}`)
    await isLoggedIn()
    await hub.call('revoke_token', { id })
    await says('revoked')
    expect(await page.getByLabel('Token').isVisible()).toBe(true)
  })

  test.each([
    ['a phone', { width: 360, height: 740 }],
    ['a desktop', { width: 1280, height: 800 }],
  ])('fits %s without scrolling sideways', async (_, size) => {
    await page.setViewportSize(size)
    for (const address of [loginUrl(), `${origin()}/#token=wrong`]) {
      await page.goto(address)
      await (address === loginUrl() ? isLoggedIn() : says('unknown'))
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      expect(overflow).toBe(0)
    }
  })
})

/** A follow link asks for a login. After a login, the first page leads to all sessions. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shippedHub } from '../worlds/hub-process.ts'
import { requires } from '../harness/requires.ts'
import { freePort } from '../fixtures/ports.ts'
import { exchange } from '../http/exchange.ts'
import { type OwnHub, startOwnHub } from '../worlds/own-hub.ts'
import { browserPrograms, openBrowser } from './browser.ts'
import { endSessions, follow, startCommand } from './follow-page.ts'

const program = requires(...browserPrograms)

program.describe('logging in to a session', () => {
  const opened = new AsyncDisposableStack()
  let hub: OwnHub
  let browser: Browser

  beforeAll(async () => {
    const port = await freePort()
    const env = {
      SIGNALBOX_PORT: String(port),
      SIGNALBOX_SESSION_FOLLOW_BASE: `http://127.0.0.1:${port}`,
      SIGNALBOX_SESSION_FOLLOW_PATH: '/deep/below/',
    }
    hub = opened.use(await startOwnHub({ program: shippedHub, env }))
    opened.defer(() => endSessions(hub))
    browser = opened.use(await openBrowser(program.path))
    await startCommand(hub, 'goal', 'echo arrived; cat')
  })
  afterAll(() => opened.disposeAsync())

  test('a follow link contains no token, and its page asks for one', async () => {
    const { session_url: link } = await hub.call('get_session_url', { name: 'goal' })
    expect(link).toBe(`http://127.0.0.1:${hub.port}/deep/below/goal`)
    await using viewer = await follow(browser, hub, 'goal', { path: '/deep/below/', token: null })
    await viewer.page.getByRole('heading', { name: /^Log in to / }).waitFor()
    expect((await viewer.rows()).join('')).toBe('')
    await viewer.page.getByLabel('Token').fill('sb_human_wrong')
    await viewer.page.getByRole('button', { name: 'Log in' }).click()
    await viewer.page.getByRole('status').filter({ hasText: 'unknown' }).waitFor()
    await viewer.page.getByLabel('Token').fill(hub.token)
    await viewer.page.getByRole('button', { name: 'Log in' }).click()
    await viewer.sees('arrived')
    expect(await viewer.page.getByLabel('Token').isVisible()).toBe(false)
    expect(viewer.page.url()).toBe(link)
  })

  test('a token in the fragment logs in and is removed from the address', async () => {
    await using viewer = await follow(browser, hub, 'goal')
    await viewer.sees('arrived')
    expect(viewer.page.url()).toBe(`http://127.0.0.1:${hub.port}/terminal/goal`)
  })

  test('a one-time code logs in on the page of a session, and is in no address that the browser keeps or sends', async () => {
    const { login_url: link } = await hub.call('create_login', { session: 'goal' })
    const code = new URL(String(link)).hash.slice('#code='.length)
    const context = await browser.newContext()
    const page = await context.newPage()
    const addresses: string[] = []
    page.on('request', (request) => void addresses.push(request.url(), request.headers()['referer'] ?? ''))
    await page.goto(String(link))
    await page.locator('.xterm-rows').filter({ hasText: 'arrived' }).waitFor()
    expect(page.url()).toBe(`http://127.0.0.1:${hub.port}/deep/below/goal`)
    expect(addresses.filter((address) => address.includes(code))).toEqual([])
    await page.reload()
    await page.locator('.xterm-rows').filter({ hasText: 'arrived' }).waitFor()

    // In this tab the login goes on, although its link is used up.
    await page.goto(String(link))
    await page.locator('.xterm-rows').filter({ hasText: 'arrived' }).waitFor()
    const { tokens } = await hub.call('list_tokens')
    const logins = (tokens as { id: string; label?: string }[]).filter(({ label }) => label === 'phone login')
    expect(logins).toHaveLength(1)
    await hub.call('revoke_token', { id: logins[0]?.id })
    await page.getByLabel('Token').waitFor()
    await context.close()
  })

  test('a used code says so on both pages, and the person can log in by hand or with another code', async () => {
    for (const session of ['goal', undefined]) {
      const { login_url: link } = await hub.call('create_login', { session })
      const code = new URL(String(link)).hash.slice('#code='.length)
      await exchange(hub, { path: '/login', body: { code }, token: null })
      const context = await browser.newContext()
      const page = await context.newPage()
      await page.goto(String(link))
      await page.getByRole('status').filter({ hasText: 'used or expired' }).waitFor()
      await page.getByLabel('Token').waitFor()
      expect(page.url()).not.toContain('#')
      const other = await hub.call('create_login', { session })
      await page.goto(String(other['login_url']))
      await page.getByLabel('Token').waitFor({ state: 'hidden' })
      await context.close()
    }
  })

  test('a token stored on the device logs in every tab until its owner logs out', async () => {
    await using viewer = await follow(browser, hub, 'goal', { token: null })
    await viewer.page.getByLabel('Token').fill(hub.token)
    await viewer.page.getByLabel('Keep me logged in').check()
    await viewer.page.getByRole('button', { name: 'Log in' }).click()
    await viewer.sees('arrived')
    const tab = await viewer.page.context().newPage()
    await tab.goto(`http://127.0.0.1:${hub.port}/`)
    await tab.getByRole('link', { name: 'goal' }).first().waitFor()
    await tab.getByRole('button', { name: 'Log out' }).click()
    await tab.reload()
    await tab.getByRole('heading', { name: /^Log in to / }).waitFor()
  })

  test('shows the login form when the token in use is revoked', async () => {
    const { token, id } = await hub.call('issue_token', { role: 'human' })
    await using viewer = await follow(browser, hub, 'goal', { token: String(token) })
    await viewer.sees('arrived')
    await hub.call('revoke_token', { id })
    await viewer.page.getByLabel('Token').waitFor()
  })

  test('reports an unknown session name', async () => {
    await using viewer = await follow(browser, hub, 'nobody')
    await viewer.page.getByRole('status').filter({ hasText: 'nobody' }).waitFor()
  })

  test('the first page lists sessions as they start and end, each with a link', async () => {
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${hub.port}/#token=${hub.token}`)
    const list = page.getByRole('main')
    await list.getByRole('link', { name: 'goal' }).waitFor()
    await startCommand(hub, 'latecomer', 'read; exit 5')
    await list.getByRole('link', { name: 'latecomer' }).waitFor()
    await hub.call('send_input', { name: 'latecomer', text: '' })
    await list.getByRole('listitem').filter({ hasText: 'latecomer' }).filter({ hasText: 'exit code 5' }).waitFor()
    await list.getByRole('link', { name: 'goal' }).click()
    await page.locator('.xterm-rows').filter({ hasText: 'arrived' }).waitFor()
    await page.close()
  })

  test('the page’s files are fetched once, and its policy blocks foreign scripts', async () => {
    const get = (path: string, headers = {}) => exchange(hub, { method: 'GET', path, token: null, headers })
    const [page, other] = [await get('/terminal/goal'), await get('/terminal/goal')]
    const policy = String(page.headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).not.toBe(other.headers['content-security-policy'])
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1]
    expect(page.text).toContain(`nonce="${nonce}"`)
    expect(page.headers['cache-control']).toBe('no-store')
    expect(page.text).not.toContain('{{')

    const [script = ''] = /assets\/index-[\w-]+\.js/.exec(page.text) ?? []
    const code = await get(`/${script}`, { 'accept-encoding': 'gzip, br' })
    expect([code.status, code.headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8'])
    expect([code.headers['content-encoding'], code.headers['cache-control']]).toEqual([
      'br',
      'public, max-age=31536000, immutable',
    ])
    expect((await get(`/${script}`, { 'accept-encoding': 'identity' })).headers['content-encoding']).toBeUndefined()
    for (const path of ['/', '/approvals', '/approvals/ap1']) expect((await get(path)).text).toContain(script)
    for (const path of [
      '/terminal/',
      '/terminal/a/b',
      '/terminal/..%2fx',
      '/assets/',
      '/assets/../index.html',
      '/assets/index.html',
      '/approvals/a/b',
    ]) {
      expect([path, (await get(path)).status]).toEqual([path, 404])
    }
  })
})

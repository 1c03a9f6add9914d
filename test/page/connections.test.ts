/** The connections of the page in a real browser: a real hub, and server-everything from npm as the upstream. */
import { devices } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packageProgram } from '../gateway/side-by-side.ts'
import { requires, requiresAll } from '../harness/requires.ts'
import { browserPrograms } from './browser.ts'
import { serveOAuth } from '../worlds/oauth-upstream.ts'
import { patience } from '../worlds/own-hub.ts'
import { violations } from './axe.ts'
import { type PageWorld, startPageWorld } from './page-world.ts'

const program = requires(...browserPrograms)
const canConfine = requiresAll('bwrap', 'socat').describe === describe
const hostile = '<img src=x onerror="window.hacked=1">'

program.describe('connections', () => {
  const { cmd, args } = packageProgram('server-everything', 'stdio')
  let world: PageWorld
  beforeAll(async () => void (world = await startPageWorld(program.path)))
  afterAll(() => world[Symbol.asyncDispose]())

  test('a pasted server is imported and tested, and one of its tools is tried with the form', async () => {
    await using viewer = await world.open('connections')
    const { page, complaints } = viewer
    await page.getByText('No connections yet').waitFor()
    expect(await violations(page)).toEqual([])

    await page.keyboard.press('i')
    const dialog = page.getByRole('dialog', { name: 'Import' })
    await dialog.getByLabel('A command line, JSON or TOML').fill('{ "mcpServers": ')
    await dialog.getByRole('alert').waitFor()
    const env = { DEMO_TOKEN: 'sk-live-9f8e7d6c5b4a39281706' }
    const servers = { everything: { command: cmd, args }, demo: { command: 'demo-mcp', env } }
    await dialog.getByLabel('A command line, JSON or TOML').fill(JSON.stringify({ mcpServers: servers }))
    await dialog.getByText('Secrets are not stored.').waitFor()
    await dialog.getByText('export DEMO_TOKEN=…').waitFor()
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Import 2' }).click()
    await dialog.waitFor({ state: 'hidden' })

    const list = page.getByRole('region', { name: 'List of connections' })
    await list.getByText('DEMO_TOKEN is not set').waitFor()
    await list.getByRole('link', { name: /^everything/ }).click()
    await page.getByRole('button', { name: 'Test it' }).click()
    await page.getByText(/works: \d+ tools/).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('get-sum')
    await list.getByRole('link', { name: /^demo/ }).waitFor({ state: 'hidden' })

    const tools = page.getByRole('region', { name: 'Tools', exact: true })
    await tools.getByRole('button', { name: /^get-sum/ }).click()
    const form = page.getByRole('region', { name: 'Try a tool' })
    await form.getByLabel(/^a required/).fill('two')
    await form.getByRole('button', { name: /^Call/ }).click()
    await form.getByText('This is not a number.').waitFor()
    await form.getByText('Give a b.').waitFor()
    expect(await form.getByRole('button', { name: /^Call/ }).isDisabled()).toBe(true)
    expect(await form.getByLabel(/^a required/).getAttribute('aria-invalid')).toBe('true')
    expect(await violations(page)).toEqual([])
    expect(await calls()).toEqual([])

    await form.getByLabel(/^a required/).fill('19')
    await form.getByLabel(/^b required/).fill('23')
    await form.getByRole('button', { name: 'JSON' }).click()
    expect(JSON.parse(await form.getByLabel('Arguments').inputValue())).toEqual({ a: 19, b: 23 })
    await form.getByLabel('Arguments').fill('{"a": 19, "b": ')
    await form.getByText('This is not JSON').waitFor()
    expect(await form.getByRole('button', { name: /^Call/ }).isDisabled()).toBe(true)
    await form.getByLabel('Arguments').fill('{"a": 20, "b": 22}')
    await form.getByRole('button', { name: 'Form' }).click()
    expect(await form.getByLabel(/^a required/).inputValue()).toBe('20')
    await form.getByLabel(/^b required/).press('Control+Enter')
    await form.getByRole('region', { name: 'Last result' }).getByText('42').waitFor()
    await expect.poll(calls, patience).toMatchObject([{ arguments: { a: 20, b: 22 }, upstream: 'everything' }])
    expect(await violations(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  test('a server that fails shows why, with its output, and starts again when it is fixed', async () => {
    const script = `console.error(${JSON.stringify(`no browser ${hostile}`)}); process.exit(3)`
    await world.call('save_connector', {
      name: 'broken',
      transport: 'stdio',
      cmd: process.execPath,
      args: ['-e', script],
    })
    await world.call('create_session', { name: 'user', template: 'agent', connectors: ['broken'] })
    await using viewer = await world.open('connections/broken')
    const { page, complaints } = viewer
    const detail = page.getByRole('article', { name: 'broken' })
    await detail.getByRole('button', { name: 'Start again' }).waitFor()
    await detail.getByText('The program ended with exit code 3').waitFor()
    const output = detail.getByRole('log', { name: 'Lines' })
    await output.getByText(hostile).first().waitFor()
    expect(await output.locator('img').count()).toBe(0)
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
    expect(await violations(page)).toEqual([])

    await detail.getByRole('tab', { name: /^Used by/ }).click()
    await detail.getByRole('link', { name: 'user' }).waitFor()
    await page.keyboard.press('e')
    const dialog = page.getByRole('dialog', { name: 'Edit broken' })
    await dialog.getByLabel('Program').fill('')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').filter({ hasText: 'names the program' }).waitFor()
    expect(await violations(page)).toEqual([])
    await dialog.getByLabel('Program').fill(cmd)
    await dialog.getByLabel('Arguments').fill(args.join('\n'))
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await detail.getByText('Running', { exact: true }).first().waitFor()
    await detail.getByRole('tab', { name: /^Tools \d/ }).waitFor()
    expect(complaints).toEqual([])
  })

  test.runIf(canConfine)('a program that a confined session wants is allowed, and that is taken back', async () => {
    await world.call('save_connector', { name: 'outside', transport: 'stdio', cmd, args })
    const template = { name: 'boxed', command: 'cat', sandbox: { network: 'none' }, connectors: ['outside'] }
    await world.call('save_template', { payload: template })
    await world.call('create_session', { name: 'inside', template: 'boxed' })
    await using viewer = await world.open('connections/outside')
    const { page, complaints } = viewer
    const detail = page.getByRole('article', { name: 'outside' })
    await detail.getByText('Needs your consent').waitFor()
    expect(await violations(page)).toEqual([])
    await detail.getByRole('button', { name: 'Allow' }).click()
    await detail.getByText('Running', { exact: true }).first().waitFor()
    await detail.getByRole('switch', { name: 'On' }).click()
    await detail.getByText('Off', { exact: true }).waitFor()
    await detail.getByRole('switch', { name: 'On' }).click()
    await detail.getByText('Running', { exact: true }).first().waitFor()
    await detail.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Do not allow outside of sandboxes' }).click()
    await detail.getByText('Needs your consent').waitFor()
    expect(complaints).toEqual([])
  })

  test('a connection is added with the form, switched off, and removed', async () => {
    await using viewer = await world.open('connections')
    const { page } = viewer
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a connection' })
    await dialog.getByLabel('Name').fill('wiki')
    await dialog.getByRole('button', { name: 'HTTP' }).click()
    await dialog.getByLabel('Address').fill('https://wiki.example/mcp')
    await dialog.getByLabel('Headers').fill('Authorization: Bearer ${WIKI_TOKEN}')
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    const detail = page.getByRole('article', { name: 'wiki' })
    await detail.getByText('Needs a variable').waitFor()
    await detail.getByRole('tab', { name: 'Settings' }).click()
    await detail.getByText('Authorization: Bearer ${WIKI_TOKEN}').waitFor()
    await detail.getByText('not set').first().waitFor()
    expect(await violations(page)).toEqual([])
    await detail.getByRole('switch', { name: 'On' }).click()
    await detail.getByText('Off', { exact: true }).waitFor()
    await detail.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Remove…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('link', { name: /^wiki/ }).waitFor({ state: 'hidden' })
    const { connectors } = await world.call('list_connectors')
    expect(connectors).not.toMatchObject([{ name: 'wiki' }])
  })

  test('a login at a server is asked for, kept, and forgotten', async () => {
    const server = await serveOAuth()
    await world.call('save_connector', { name: 'notes', transport: 'http', base_url: server.url })
    await using viewer = await world.open('connections/notes')
    const { page } = viewer
    const detail = page.getByRole('article', { name: 'notes' })
    await detail.getByRole('button', { name: 'Test it' }).click()
    await detail.getByText('Needs a login').waitFor()
    const address = await detail.getByRole('link', { name: 'Log in' }).getAttribute('href')
    expect(await violations(page)).toEqual([])
    const back = new URLSearchParams({ ...server.logIn(address!) })
    await fetch(`http://127.0.0.1:${world.port}/oauth/callback?${back.toString()}`)
    await detail.getByText('Needs a login').waitFor({ state: 'hidden' })
    await detail.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Log out at its server' }).click()
    await detail.getByRole('tab', { name: 'Settings' }).click()
    await detail.getByText('kept by the hub').waitFor({ state: 'hidden' })
    expect(await world.call('get_connector', { name: 'notes' })).not.toHaveProperty('login')
  })

  test('on a phone, a tool is found and tried, and nothing scrolls sideways', async () => {
    await using viewer = await world.open('connections', devices['Pixel 7'])
    const { page } = viewer
    const everything = page.getByRole('link', { name: /^everything/ })
    await everything.waitFor()
    expect(await violations(page)).toEqual([])
    await everything.tap()
    await page.getByRole('button', { name: /^echo/ }).tap()
    await page.getByRole('textbox', { name: /^message/ }).fill('from a phone')
    await page.getByRole('button', { name: /^Call/ }).tap()
    await page.getByText('Echo: from a phone').waitFor()
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    await page.getByRole('button', { name: 'All tools' }).tap()
    await page.getByRole('button', { name: /^get-sum/ }).waitFor()
    await page.getByRole('link', { name: 'Back' }).tap()
    await page.getByRole('link', { name: /^demo/ }).waitFor()
  })

  /** The calls to the tool that were recorded. */
  async function calls(): Promise<readonly unknown[]> {
    const { events } = await world.call('query_events', { type: 'tool-called', limit: 100 })
    const all = events as readonly { readonly payload: { readonly tool: string } }[]
    return all.map(({ payload }) => payload).filter(({ tool }) => tool === 'everything_get-sum')
  }
})

/** The views of the page in a real browser: a real hub, real sessions, and the scripted model as the agent. */
import { gzipSync } from 'node:zlib'
import { devices } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Approval } from '../../src/api/approval.ts'
import { exchange } from '../http/exchange.ts'
import { requires } from '../harness/requires.ts'
import { browserPrograms } from './browser.ts'
import { patience } from '../worlds/own-hub.ts'
import { violations } from './axe.ts'
import { type PageWorld, startPageWorld } from './page-world.ts'

const program = requires(...browserPrograms)

program.describe('the page', () => {
  let world: PageWorld
  beforeAll(async () => void (world = await startPageWorld(program.path)))
  afterAll(() => world[Symbol.asyncDispose]())

  test('without sessions it offers the form that starts the first one, and the session opens', async () => {
    await using viewer = await world.open('')
    const { page, complaints } = viewer
    await page.getByRole('heading', { name: 'Start your first session' }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('radio', { name: /^shell/ }).check({ force: true })
    await page.getByLabel('Name').fill('first')
    await page.getByRole('textbox', { name: 'Command' }).fill('echo hello from the form; cat')
    await page.getByRole('button', { name: 'Start session' }).click()
    await page.locator('.xterm-rows').filter({ hasText: 'hello from the form' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/terminal/first')
    expect(complaints).toEqual([])
  })

  test('a person creates a session, watches it, approves its call, and reads the answer', async () => {
    await using viewer = await world.open('')
    const { page, complaints } = viewer
    await page.getByRole('button', { name: 'New session' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'New session' })
    await dialog.getByRole('radio', { name: /^agent/ }).check({ force: true })
    await dialog.getByLabel('Name').fill('worker')
    const script = [
      'THINK hmm',
      'SAY I **type** it.',
      'CALL terminal_send_text {"text":"echo ask-me"}',
      'FINAL It is `done`.',
    ]
    await dialog.getByLabel('What should it do?').fill(script.join('\n'))
    await dialog.getByRole('button', { name: 'Start session' }).click()

    const ask = page.getByRole('region', { name: 'Approval' })
    await ask.waitFor()
    await ask.getByText('it says so').waitFor()
    await ask.getByText('echo ask-me').waitFor()
    await expect.poll(() => page.title(), patience).toMatch(/^\(1\) worker/)
    expect(await violations(page)).toEqual([])
    await ask.getByRole('button', { name: 'Allow once' }).click()
    const thread = page.getByRole('log', { name: 'Thread' })
    await thread.locator('code', { hasText: 'done' }).waitFor()
    await thread.locator('b', { hasText: 'type' }).waitFor()
    await ask.waitFor({ state: 'hidden' })

    await thread.getByRole('button', { name: /terminal_send_text/ }).click()
    await thread.getByRole('cell', { name: 'echo ask-me' }).waitFor()
    await thread.getByRole('button', { name: /^Thought/ }).click()
    await thread.getByText('hmm').last().waitFor()
    expect(complaints).toEqual([])
  })

  test('an agent that the policy does not cover is called that, in the list and above the session', async () => {
    await world.call('create_session', { name: 'loose', command: 'echo started; cat; codex' })
    await using viewer = await world.open('')
    const { page, complaints } = viewer
    const listed = page.getByRole('listitem').filter({ hasText: 'loose' }).filter({ hasText: 'Not governed' })
    await listed.first().waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('link', { name: /loose/ }).first().click()
    const chip = page.locator('.sess-bar').getByText('Not governed')
    await chip.waitFor()
    expect(await chip.getAttribute('title')).toContain('signalbox new --template codex --mode both')
    expect(await violations(page)).toEqual([])
    expect(complaints).toEqual([])
    await world.call('kill_session', { name: 'loose' })
  })

  test('the composer prompts the agent, and a draft survives a revoked token', async () => {
    await world.agent('talker')
    const { token, id } = await world.call('issue_token', { role: 'human' })
    await using viewer = await world.open('terminal/talker', { token: String(token) })
    const { page } = viewer
    await page.getByLabel('Message').fill('FINAL first answer')
    await page.getByRole('button', { name: 'Send' }).click()
    await page
      .getByRole('log')
      .locator('p', { hasText: /^first answer$/ })
      .waitFor()
    await expect.poll(() => page.getByLabel('Message').inputValue(), patience).toBe('')

    await page.getByLabel('Message').fill('half a thought')
    await world.call('revoke_token', { id })
    await page
      .getByRole('status')
      .filter({ hasText: 'This token was revoked. Log in again; your draft is kept.' })
      .waitFor()
    await page.getByLabel('Token').fill(world.token)
    await page.getByRole('button', { name: 'Log in' }).click()
    await expect.poll(() => page.getByLabel('Message').inputValue(), patience).toBe('half a thought')
  })

  test('an approval is answered with keys, and disappears at once from another browser', async () => {
    await world.agent('asker', 'SAY I need it.\nCALL terminal_send_text {"text":"echo ask twice"}\nFINAL ok')
    const approval = await pendingOf('asker')
    await using one = await world.open(`approvals/${approval.id}`)
    await using other = await world.open('approvals')
    const detail = one.page.getByRole('article')
    await detail.getByText('“I need it.”').waitFor()
    await other.page.getByRole('article').getByRole('button', { name: 'Allow once' }).waitFor()
    expect(await violations(one.page)).toEqual([])

    await detail.focus()
    // A key does nothing in the first moment, so it is pressed until it works.
    await expect
      .poll(async () => {
        await detail.press('d')
        return one.page.getByLabel('Tell the agent why').isVisible()
      }, patience)
      .toBe(true)
    await one.page.getByLabel('Tell the agent why').fill('not today')
    await one.page.keyboard.press('Control+Enter')
    await other.page.getByText('Answered elsewhere').waitFor()
    await other.page.getByText('Nothing waits for you.').waitFor()
    const { approvals } = await world.call('list_approvals', { id: approval.id })
    expect(approvals).toMatchObject([{ status: 'denied', reason: 'not today' }])
  })

  test('a rule is written with a preview, and the next call like it is not asked', async () => {
    await world.agent(
      'ruled',
      'CALL terminal_send_text {"text":"echo ask rule"}\nCALL terminal_send_text {"text":"echo ask rule"}\nFINAL both ran',
    )
    const approval = await pendingOf('ruled')
    await using viewer = await world.open(`approvals/${approval.id}`)
    const { page } = viewer
    await page.getByRole('button', { name: 'Write a rule…' }).click()
    await page.getByText('asked and allowed').waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Allow and save rule' }).click()
    await expect
      .poll(async () => JSON.stringify(await world.call('read_thread', { session: 'ruled' })), patience)
      .toContain('both ran')
    const { grants } = await world.call('list_grants', { session: 'ruled' })
    expect(grants).toMatchObject([{ tool: 'terminal_send_text', session: 'ruled' }])
  })

  test('the first view shows what waits, and answers it in place', async () => {
    await world.agent('waiter', 'CALL terminal_send_text {"text":"echo ask home"}\nFINAL answered')
    await pendingOf('waiter')
    await using viewer = await world.open('')
    const { page } = viewer
    const row = page.getByRole('listitem', { name: 'waiter waits for you' })
    await row.getByText('echo ask home').waitFor()
    expect(await violations(page)).toEqual([])
    await row.getByRole('button', { name: 'Allow once' }).click()
    await row.waitFor({ state: 'hidden' })

    await page.keyboard.press('v')
    await page.getByRole('table').waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('/')
    await page.keyboard.type('waiter')
    await expect.poll(() => page.getByRole('row').count(), patience).toBe(2)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('talk')
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByLabel('Message').waitFor()
  })

  test('nothing that a hub shows runs as code', async () => {
    const hostile =
      '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>[x](javascript:window.hacked=1)'
    const text = `${hostile} \u202eabc`
    await world.agent(
      'hostile',
      `SAY ${text}\nCALL terminal_send_text ${JSON.stringify({ text: `ask ${text}` })}\nFINAL ${hostile}`,
    )
    await world.call('update_session', { name: 'hostile', description: hostile, labels: [hostile] })
    const approval = await pendingOf('hostile')
    await using viewer = await world.open(`approvals/${approval.id}`)
    const { page, complaints } = viewer
    await page.getByRole('cell').filter({ hasText: 'onerror' }).waitFor()
    await page.getByText('U+202E').first().waitFor()
    await page.getByRole('button', { name: 'Allow once' }).click()
    await page.getByRole('link', { name: 'hostile' }).first().click()
    await page.getByRole('log').getByText('onerror').last().waitFor()
    expect(await page.getByRole('log').locator('img, script, a[href^="javascript"]').count()).toBe(0)
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
    expect(complaints).toEqual([])
  })

  test('a lost hub shows, and the page catches up without a reload', async () => {
    await world.call('create_session', { name: 'before', template: 'shell', command: 'cat' })
    await using viewer = await world.open('')
    const { page } = viewer
    await page.getByRole('main').getByRole('link', { name: 'before' }).waitFor()
    await page.evaluate(() => void Object.assign(window, { isSamePage: true }))
    await world.stop('SIGKILL')
    await page.getByRole('alert').filter({ hasText: 'Agents keep running' }).waitFor()
    expect(await page.getByRole('main').getByRole('button', { name: 'New session' }).isDisabled()).toBe(true)
    await world.start()
    await world.call('create_session', { name: 'after', template: 'shell', command: 'cat' })
    await page.getByRole('alert').waitFor({ state: 'hidden' })
    await page.getByRole('main').getByRole('link', { name: 'after' }).waitFor()
    expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true)
  })

  test('on a phone, an approval is answered with a thumb and nothing scrolls sideways', async () => {
    await world.agent('pocket', 'CALL terminal_send_text {"text":"echo ask phone"}\nFINAL thanks')
    const approval = await pendingOf('pocket')
    await using viewer = await world.open('', devices['Pixel 7'])
    const { page } = viewer
    await page
      .getByRole('navigation', { name: 'Main, bottom' })
      .getByRole('link', { name: /^Approvals/ })
      .tap()
    await page.getByRole('link', { name: /echo ask phone/ }).tap()
    expect(new URL(page.url()).pathname).toBe(`/approvals/${approval.id}`)
    const allow = page.getByRole('button', { name: 'Allow once' })
    const box = await allow.boundingBox()
    expect(box!.height).toBeGreaterThanOrEqual(44)
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    expect(await violations(page)).toEqual([])
    await allow.tap()
    await expect
      .poll(async () => JSON.stringify(await world.call('read_thread', { session: 'pocket' })), patience)
      .toContain('thanks')
  })

  test('the keyboard of a terminal is given back', async () => {
    await world.call('create_session', { name: 'keys', template: 'shell', command: 'cat' })
    await using viewer = await world.open('terminal/keys')
    const { page } = viewer
    const keyboard = page.getByRole('status', { name: 'Keyboard' })
    await page.getByRole('button', { name: 'Take over' }).click()
    await keyboard.filter({ hasText: 'You have the keyboard' }).waitFor()
    await page.getByRole('button', { name: 'Give back' }).click()
    await keyboard.filter({ hasText: 'type to take the keyboard' }).waitFor()
    expect(await violations(page)).toEqual([])
  })

  test('the first view takes less than 400 KB, compressed and without the terminal', async () => {
    const get = (path: string, headers = {}) => exchange(world, { method: 'GET', path, token: null, headers })
    const { text } = await get('/')
    const files = [...text.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, file]) => file!)
    const styles = (
      await Promise.all(files.filter((file) => file.endsWith('.css')).map((file) => get(`/${file}`)))
    ).map((answer) => answer.text)
    const fonts = [...styles.join('').matchAll(/url\(\.\/([\w.-]+\.woff2)\)/g)].map(([, file]) => `assets/${file}`)
    const sizes = await Promise.all(
      [...files, ...fonts].map(async (file) => {
        const { headers } = await get(`/${file}`, { 'accept-encoding': 'gzip' })
        return Number(headers['content-length'])
      }),
    )
    expect(files.length).toBeGreaterThan(1)
    expect(fonts.length).toBeGreaterThan(1)
    expect(text).not.toContain('terminal-pane')
    expect(sizes.reduce((sum, size) => sum + size, gzipSync(text).length)).toBeLessThan(400_000)
  })

  async function pendingOf(session: string): Promise<Approval> {
    const read = async () => ((await world.call('list_approvals', { session }))['approvals'] as Approval[])[0]
    await expect.poll(read, patience).toBeDefined()
    return (await read())!
  }
})

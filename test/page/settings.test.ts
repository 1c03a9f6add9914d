/** The settings on the page, notifications, and the page as an installed program. */
import { loadImage, createCanvas } from '@napi-rs/canvas'
import jsQR from 'jsqr'
import { type BrowserContext, type Page, devices } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { requires } from '../harness/requires.ts'
import { exchange } from '../http/exchange.ts'
import { patience } from '../worlds/own-hub.ts'
import { type PushService, startPushService } from '../worlds/push-service.ts'
import { violations } from './axe.ts'
import { type PageWorld, startPageWorld } from './page-world.ts'
import { writeInEditor } from './write-in-editor.ts'

// The shell without a window has no notifications.
const program = requires('chromium')
const base = 'https://box.example'

program.describe('settings on the page', () => {
  const opened = new AsyncDisposableStack()
  let world: PageWorld
  let service: PushService

  beforeAll(async () => {
    service = opened.use(await startPushService())
    const env = { SIGNALBOX_SESSION_FOLLOW_BASE: base, SIGNALBOX_PUSH_PRIVATE_ENDPOINTS: 'on' }
    world = opened.use(await startPageWorld(program.path, env))
  })
  afterAll(() => opened.disposeAsync())

  test('a token is issued, shown once, and revoked', async () => {
    await using viewer = await world.open('settings')
    const { page, complaints } = viewer
    const own = page.getByRole('row').filter({ hasText: /this browser/ })
    await own.waitFor()
    await page.getByRole('button', { name: 'Issue token' }).click()
    const dialog = page.getByRole('dialog', { name: 'Issue a token' })
    await dialog.getByLabel('What it is for').fill('editor <b>bold</b>')
    await dialog.getByLabel('Expires').selectOption({ label: 'In 30 days' })
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Issue', exact: true }).click()
    const shown = page.getByRole('status').filter({ hasText: 'Copy it now; it is shown once.' })
    const token = await shown.locator('code').innerText()
    expect(token).toMatch(/^sb_human_/)
    expect((await exchange({ ...world, token }, { body: {} })).status).not.toBe(401)
    expect(await violations(page)).toEqual([])
    await shown.getByRole('button', { name: 'Done' }).click()
    await expect.poll(() => page.getByText(token).count(), patience).toBe(0)

    const row = page.getByRole('row').filter({ hasText: 'editor <b>bold</b>' })
    await row.getByRole('button', { name: /^Revoke/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await row.waitFor({ state: 'detached' })
    expect((await exchange({ ...world, token }, { body: {} })).status).toBe(401)
    expect(complaints).toEqual([])
  })

  test('a phone is logged in with a QR code', async () => {
    await using viewer = await world.open('settings')
    const { page } = viewer
    await page.getByRole('button', { name: 'Log in a phone' }).click()
    const code = page.getByRole('img', { name: 'QR code with the login link' })
    await code.waitFor()
    const link = await page.getByRole('dialog').locator('code').innerText()
    expect(link).toMatch(/^https:\/\/box\.example\/#code=/)
    expect(await textInPicture(await code.screenshot())).toBe(link)
    expect(await violations(page)).toEqual([])
    const answer = await exchange(world, { path: '/login', body: { code: link.split('=')[1] }, token: null })
    expect(answer.body).toMatchObject({ token: expect.stringMatching(/^sb_human_/) })
    await page.keyboard.press('Escape')
    await page.getByRole('row').filter({ hasText: 'phone login' }).waitFor()
  })

  test('a template is checked while one types, saved, and deleted', async () => {
    await using viewer = await world.open('settings/templates')
    const { page, complaints } = viewer
    const list = page.getByRole('region', { name: 'List of templates' })
    await list.getByRole('button', { name: /^\S+ shell/ }).click()
    const editor = page.getByRole('textbox', { name: 'Template source' })
    await editor.getByText('"shell"').first().waitFor()
    expect(await violations(page)).toEqual([])

    await page.getByRole('button', { name: 'New', exact: true }).click()
    await writeInEditor(
      editor,
      '{\n  "name": "review-bot",\n  "command": "cat",\n  "session_type": "longrunning",\n  "colour": 1\n}',
    )
    await page.getByText('One of: long_running, one_off').waitFor()
    await page.getByText('There is no field "colour".').waitFor()
    await page.getByRole('status').filter({ hasText: '2 errors' }).waitFor()
    const save = page.getByRole('button', { name: 'Save' })
    expect(await save.isDisabled()).toBe(true)
    await writeInEditor(editor, '{\n  "name": "review-bot",\n  "command": "cat",\n')
    await page.getByText('This is not JSON').waitFor()
    await writeInEditor(editor, '{\n  "name": "review-bot",\n  "command": "cat",\n  "driver": "nonsense"\n}')
    await save.click()
    await page.getByRole('alert').filter({ hasText: 'nonsense' }).waitFor()
    await writeInEditor(editor, '{\n  "name": "review-bot",\n  "command": "cat",\n  "args": ["a b"]\n}')
    await page.getByRole('region', { name: 'What will be started' }).getByText("cat 'a b'").waitFor()
    await save.click()
    await list
      .getByRole('button', { name: /review-bot/ })
      .getByText('yours')
      .waitFor()
    expect(await world.call('list_templates')).toMatchObject({
      templates: expect.arrayContaining([expect.objectContaining({ name: 'review-bot', args: ['a b'] })]),
    })
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await list.getByRole('button', { name: /review-bot/ }).waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })

  test('theme and terminals are chosen for this browser, and the rest is readable', async () => {
    await using viewer = await world.open('settings/appearance', { colorScheme: 'dark' })
    const { page } = viewer
    const root = page.locator('html')
    await page.getByRole('radio', { name: /^As the system/ }).waitFor()
    expect(await root.getAttribute('data-theme')).toBe('dark')
    await page.getByRole('radio', { name: /^Light/ }).check()
    await page.getByRole('link', { name: 'Terminal' }).click()
    await page.getByRole('radio', { name: /^As the page/ }).check()
    await page.reload()
    await page.getByRole('radio', { name: /^As the page/ }).waitFor()
    expect([await root.getAttribute('data-theme'), await root.getAttribute('data-terminal')]).toEqual(['light', 'page'])
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--term-bg'))).toBe(
      '#fff',
    )
    for (const part of ['Hub', 'Keys', 'Notifications']) {
      await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: part }).click()
      await page.getByRole('region', { name: part }).waitFor()
      expect([part, await violations(page)]).toEqual([part, []])
    }
    const { version } = await world.call('hub_status')
    await page
      .getByRole('banner')
      .or(page.locator('.set-bar'))
      .getByText(`hub ${String(version)}`)
      .waitFor()
  })

  test('on a phone each part is a view of its own, and nothing scrolls sideways', async () => {
    await using viewer = await world.open('settings', devices['Pixel 7'])
    const { page } = viewer
    const parts = ['Tokens', 'Notifications', 'Templates', 'Terminal', 'Appearance', 'Keys', 'Hub']
    for (const part of parts) {
      await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: part }).tap()
      await page.getByRole('button', { name: 'All settings' }).waitFor()
      await page.locator('.set-s, .cm-content').first().waitFor()
      expect([part, await violations(page)]).toEqual([part, []])
      expect([part, await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)]).toEqual([part, 0])
      await page.getByRole('button', { name: 'All settings' }).tap()
    }
  })

  test('a question is notified once, by one of two tabs, and its notification leads to it', async () => {
    await using viewer = await world.open('settings/notifications', { permissions: ['notifications'] })
    const { page } = viewer
    await page.getByRole('switch', { name: 'A call waits for you, this browser' }).click()
    await page.getByRole('switch', { name: 'A call waits for you, this browser', checked: true }).waitFor()
    // The page, and the tab that notifies.
    await expect.poll(async () => (await world.call('hub_status'))['listeners'], patience).toBe(2)
    const tab = await page.context().newPage()
    await tab.goto(`http://127.0.0.1:${world.port}/#token=${world.token}`)
    await tab.getByRole('heading', { name: 'Sessions' }).first().waitFor()

    const approval = await askIn('notified')
    await expect
      .poll(() => notificationsIn(page), patience)
      .toEqual([{ title: 'notified', body: 'Wants to call terminal_send_text', tag: `approval:${approval}` }])
    const worker = page.context().serviceWorkers()[0]!
    await worker.evaluate(async () => {
      const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration }
      const [notification] = await registration.getNotifications()
      const Click = (globalThis as unknown as { NotificationEvent: new (type: string, init: object) => Event })
        .NotificationEvent
      globalThis.dispatchEvent(new Click('notificationclick', { notification }))
    })
    const paths = () => [page, tab].map((each) => new URL(each.url()).pathname)
    await expect.poll(paths, patience).toContain(`/approvals/${approval}`)
    await expect.poll(() => notificationsIn(page), patience).toEqual([])
  })

  test('a device subscribes, gets the message of the hub, and shows it without the page', async () => {
    await using viewer = await world.open('settings/notifications', { permissions: ['notifications'] })
    const { page } = viewer
    await standInForPushService(page)
    await page.getByRole('button', { name: 'Turn on on this device' }).click()
    await page.getByRole('row').filter({ hasText: 'this device' }).filter({ hasText: 'Chrome on Linux' }).waitFor()
    expect(await violations(page)).toEqual([])
    const approval = await askIn('pushed')
    const arrived = () =>
      service.received.map(({ message }) => message as Shown).find(({ title }) => title === 'pushed')
    await expect.poll(arrived, patience).toBeDefined()
    // The browser's tool drops a message now and then. The tag makes one notification of all that arrive.
    const shown = async () => {
      await deliver(page, JSON.stringify(arrived()))
      return notificationsIn(page)
    }
    await expect
      .poll(shown, patience)
      .toEqual([{ title: 'pushed', body: 'Wants to call terminal_send_text', tag: `approval:${approval}` }])
    await page.getByRole('button', { name: /^Send a test to/ }).click()
    const tested = () => service.received.map(({ message }) => (message as Shown).tag)
    await expect.poll(tested, patience).toContain('test')
    await page.getByRole('button', { name: 'Turn off on this device' }).click()
    await page.getByRole('row').filter({ hasText: 'this device' }).waitFor({ state: 'detached' })
    expect(await world.call('list_push_subscriptions')).toMatchObject({ subscriptions: [] })
  })

  test('the page can be installed, and has an offline page while nothing of the hub is kept', async () => {
    const get = (path: string) => exchange(world, { method: 'GET', path, token: null })
    const manifest = await get('/manifest.webmanifest')
    expect(manifest.headers['content-type']).toBe('application/manifest+json')
    const { icons, start_url } = JSON.parse(manifest.text) as { icons: { src: string }[]; start_url: string }
    expect(start_url).toBe('./')
    for (const { src } of icons)
      expect([src, (await get(`/${src}`)).headers['content-type']]).toEqual([src, 'image/png'])
    const worker = await get('/sw.js')
    expect(worker.headers['cache-control']).toBe('no-cache')
    expect(String(worker.headers['content-security-policy'])).toContain("default-src 'none'; script-src 'self';")

    await using viewer = await world.open('')
    const { page } = viewer
    await page.evaluate(() => navigator.serviceWorker.ready)
    await page.reload()
    await page.getByRole('heading', { name: 'Sessions' }).first().waitFor()
    await world.stop('SIGTERM')
    await page.goto(`http://127.0.0.1:${world.port}/approvals`)
    await page.getByRole('heading', { name: 'The hub cannot be reached' }).waitFor()
    expect(await violations(page)).toEqual([])
    const kept = await page.evaluate(async () => {
      const requests = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()))
      return requests.flat().map(({ url }) => new URL(url).pathname)
    })
    expect(kept).toEqual(['/offline.html'])
    await world.start()
    await page.getByRole('link', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Approvals' }).first().waitFor()
  })

  /** A session of this name makes a call that waits. Returns the id of the approval. */
  async function askIn(name: string): Promise<string> {
    await world.agent(name, 'CALL terminal_send_text {"text":"echo ask me"}\nFINAL ok')
    const read = async () => (await world.call('list_approvals', { session: name }))['approvals'] as { id: string }[]
    await expect.poll(read, patience).toHaveLength(1)
    return (await read())[0]!.id
  }

  /** A browser in a test reaches no push service, so it gets the subscription that ours would have given it. */
  async function standInForPushService(page: Page): Promise<void> {
    const subscription = service.subscribe()
    await page.evaluate((given) => {
      const bytes = (text: string) => {
        const letters = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
        return Uint8Array.from(letters, (letter) => letter.charCodeAt(0)).buffer
      }
      let current: object | null = null
      PushManager.prototype.getSubscription = () => Promise.resolve(current as PushSubscription | null)
      PushManager.prototype.subscribe = (options) => {
        current = {
          endpoint: given.endpoint,
          options: { applicationServerKey: bytes(options?.applicationServerKey as string) },
          getKey: (name: string) => bytes(name === 'auth' ? given.auth_secret : given.public_key),
          unsubscribe: () => Promise.resolve(((current = null), true)),
        }
        return Promise.resolve(current as PushSubscription)
      }
    }, subscription)
  }
})

interface Shown {
  readonly title: string
  readonly body: string
  readonly tag: string
}

function notificationsIn(page: Page): Promise<readonly Shown[]> {
  return page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready
    return (await registration.getNotifications()).map(({ title, body, tag }) => ({ title, body, tag }))
  })
}

/** As the browser does when its push service has a message. */
async function deliver(page: Page, data: string): Promise<void> {
  const context: BrowserContext = page.context()
  const tools = await context.newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    tools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations
      if (first) resolve(first.registrationId)
    })
  })
  await tools.send('ServiceWorker.enable')
  const { origin } = new URL(page.url())
  await tools.send('ServiceWorker.deliverPushMessage', { origin, registrationId: await registered, data })
  await tools.detach()
}

async function textInPicture(png: Buffer): Promise<string | undefined> {
  const image = await loadImage(png)
  const canvas = createCanvas(image.width, image.height)
  const context = canvas.getContext('2d')
  context.drawImage(image, 0, 0)
  const { data } = context.getImageData(0, 0, image.width, image.height)
  return jsQR.default(data, image.width, image.height)?.data
}

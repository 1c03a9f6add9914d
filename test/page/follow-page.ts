/** A person before the follow page: what they see of the terminal, and what they do. */
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { type OwnHub, patience } from '../http/own-hub.ts'

export interface FollowPage extends AsyncDisposable {
  readonly page: Page
  /** Errors in the browser's console, such as what the page's policy kept out. */
  readonly complaints: readonly string[]
  /** The rows of the terminal, as far as they are in sight. */
  rows(): Promise<readonly string[]>
  /** Waits for it to be in sight. */
  sees(words: string | RegExp): Promise<void>
  /** Types into the terminal, key by key. */
  type(text: string): Promise<void>
  readonly banner: Locator
  /** `80×24` */
  size(): Promise<string>
}

export interface Visit extends BrowserContextOptions {
  readonly path?: string
  /** `null`: whoever comes has none. */
  readonly token?: string | null
}

export async function follow(browser: Browser, hub: OwnHub, session: string, visit: Visit = {}): Promise<FollowPage> {
  const { path = '/terminal/', token = hub.token, ...options } = visit
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
  page.on('pageerror', (error) => void complaints.push(error.message))
  await page.goto(`http://127.0.0.1:${hub.port}${path}${session}${token === null ? '' : `#token=${token}`}`)

  async function rows(): Promise<readonly string[]> {
    const texts = await page.locator('.xterm-rows > div').allTextContents()
    return texts.map((text) => text.replaceAll('\u00a0', ' ').trimEnd())
  }
  return {
    page,
    complaints,
    rows,
    async sees(words) {
      const matcher = typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words)
      await expect.poll(rows, patience).toContainEqual(matcher)
    },
    async type(text) {
      await page.locator('.xterm-helper-textarea').focus()
      await page.keyboard.type(text)
    },
    banner: page.getByRole('status'),
    size: async () => (await page.locator('#size').textContent()) ?? '',
    [Symbol.asyncDispose]: () => context.close(),
  }
}

/** What the hub itself has on the screen of a session. */
export async function screenOf(hub: OwnHub, session: string): Promise<readonly string[]> {
  const { lines } = await hub.call('read_screen', { session })
  return lines as readonly string[]
}

/** A shell that greets with `$ ` and reads no file of anybody. */
export async function startShell(hub: OwnHub, name: string): Promise<void> {
  const shell = { template: 'shell', command: 'bash', args: ['--norc', '--noprofile', '-i'], env: { PS1: '$ ' } }
  await hub.call('create_session', { name, ...shell })
}

/** One line for a shell, run to its end. */
export async function startCommand(hub: OwnHub, name: string, command: string): Promise<void> {
  await hub.call('create_session', { name, template: 'shell', command })
}

/** A person before the follow page: what they see of the terminal, and what they do. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import { type OwnHub, patience } from '../http/own-hub.ts'

export interface FollowPage extends AsyncDisposable {
  readonly page: Page
  /** Errors in the browser's console, such as what the page's policy kept out. */
  readonly complaints: readonly string[]
  /** The rows of the terminal, as far as they are in sight. */
  rows(): Promise<readonly string[]>
  /** Waits for it to be in sight. */
  sees(words: string | RegExp): Promise<void>
  /** All rows from here up to the oldest that is kept, each once, by the keys that scroll. */
  scrollUp(): Promise<readonly string[]>
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
    async scrollUp() {
      await page.locator('.xterm-helper-textarea').focus()
      const seen = new Set<string>()
      for (let last = ''; ;) {
        const inSight = await rows()
        for (const row of inSight) seen.add(row)
        if (inSight.join('\n') === last) return [...seen]
        last = inSight.join('\n')
        await page.keyboard.press('Shift+PageUp')
        // It is drawn with the next frame.
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
      }
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

/** Waits for the page to show what the hub has on its own screen. */
export function showsWhatTheHubHas(viewer: FollowPage, hub: OwnHub, session: string): Promise<void> {
  return vi.waitFor(async () => expect(await viewer.rows()).toEqual(await screenOf(hub, session)), patience)
}

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

export interface Counter {
  /** It says END behind its last number. */
  stop(): Promise<void>
}

/** Prints `line 1`, `line 2` and so on until it is stopped, and then what is typed. */
export async function startCounter(hub: OwnHub, name: string): Promise<Counter> {
  const command = 'i=0; until [ -e stop ]; do echo "line $((++i))"; sleep 0.02; done; echo END; cat'
  const { workspace_path: workspace } = await hub.call('create_session', { name, template: 'shell', command })
  return { stop: () => writeFile(join(String(workspace), 'stop'), '') }
}

/** What ends with the hub of a test, since sessions outlive it. */
export async function endSessions(hub: OwnHub): Promise<void> {
  const { sessions } = await hub.call('list_sessions', { status: 'running' })
  await Promise.all((sessions as { id: string }[]).map(({ id }) => hub.call('kill_session', { name: id })))
}

/** A person at the follow page: what they see of the terminal, and what they do. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import { type OwnHub, patience } from '../worlds/own-hub.ts'
import { still } from './browser.ts'

export interface FollowPage extends AsyncDisposable {
  readonly page: Page
  /** Errors in the browser's console, such as content that the page's policy blocked. */
  readonly complaints: readonly string[]
  /** The visible rows of the terminal. */
  rows(): Promise<readonly string[]>
  /** Waits until it is visible. */
  sees(words: string | RegExp): Promise<void>
  /** Scrolls up with the keyboard, and returns all rows up to the oldest one, each once. */
  scrollUp(): Promise<readonly string[]>
  /** Types into the terminal, key by key. */
  type(text: string): Promise<void>
  /** Who has the keyboard. */
  readonly keyboard: Locator
  /** How the session ended. */
  readonly end: Locator
  /** Says that the connection is lost. */
  readonly lost: Locator
  /** `80×24` */
  size(): Promise<string>
}

export interface FollowOptions extends BrowserContextOptions {
  readonly path?: string
  /** `null`: the person has no token. */
  readonly token?: string | null
}

export async function follow(
  browser: Browser,
  hub: OwnHub,
  session: string,
  options: FollowOptions = {},
): Promise<FollowPage> {
  const { path = '/terminal/', token = hub.token, ...contextOptions } = options
  const context = await browser.newContext({ ...still, ...contextOptions })
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
        // The page draws it with the next frame.
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
      }
    },
    async type(text) {
      await page.locator('.xterm-helper-textarea').focus()
      await page.keyboard.type(text)
    },
    keyboard: page.getByRole('status', { name: 'Keyboard' }),
    end: page.getByRole('status', { name: 'End of the session' }),
    lost: page.getByRole('alert').filter({ hasText: 'No connection' }),
    size: async () => (await page.getByTitle('Columns and rows').textContent()) ?? '',
    [Symbol.asyncDispose]: () => context.close(),
  }
}

/** Waits until the page shows the same screen as the hub. */
export function showsScreenOfHub(viewer: FollowPage, hub: OwnHub, session: string): Promise<void> {
  return vi.waitFor(async () => expect(await viewer.rows()).toEqual(await screenOf(hub, session)), patience)
}

export async function screenOf(hub: OwnHub, session: string): Promise<readonly string[]> {
  const { lines } = await hub.call('read_screen', { session })
  return lines as readonly string[]
}

/** A shell with the prompt `$ ` that reads no configuration files. */
export async function startShell(hub: OwnHub, name: string): Promise<void> {
  const shell = { template: 'shell', command: 'bash', args: ['--norc', '--noprofile', '-i'], env: { PS1: '$ ' } }
  await hub.call('create_session', { name, ...shell })
}

/** Runs a shell command line. */
export async function startCommand(hub: OwnHub, name: string, command: string): Promise<void> {
  await hub.call('create_session', { name, template: 'shell', command })
}

export interface Counter {
  /** The program prints END after its last number. */
  stop(): Promise<void>
}

/** Prints `line 1`, `line 2` and so on until it is stopped, and then echoes its input. */
export async function startCounter(hub: OwnHub, name: string): Promise<Counter> {
  const command = 'i=0; until [ -e stop ]; do echo "line $((++i))"; sleep 0.02; done; echo END; cat'
  const { workspace_path: workspace } = await hub.call('create_session', { name, template: 'shell', command })
  return { stop: () => writeFile(join(String(workspace), 'stop'), '') }
}

/** Ends all sessions before the hub of a test stops, because sessions outlive the hub. */
export async function endSessions(hub: OwnHub): Promise<void> {
  const { sessions } = await hub.call('list_sessions', { status: 'running' })
  await Promise.all((sessions as { id: string }[]).map(({ id }) => hub.call('kill_session', { name: id })))
}

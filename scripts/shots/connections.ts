/** Connections that run, fail, lack a variable and are off. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { Device } from './camera.ts'
import type { Stage } from './stage.ts'

const upstream = join(import.meta.dirname, 'upstream.ts')

const noBrowser = `echo 'browser-mcp 0.8.2
Error: no Chromium found. Set BROWSER_PATH or run "browser-mcp install".
    at launch (launch.js:41:11)' >&2
exit 1`

/** Binds three connectors to one session, one of them with overrides, and one that fails to another session. */
export async function bindConnections({ home, call }: Stage): Promise<void> {
  const addProgram = (name: string, text: string) =>
    writeFileSync(join(home, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o700 })
  for (const name of ['github', 'ledger-db', 'fetch']) {
    addProgram(`${name}-mcp`, `exec '${process.execPath}' '${upstream}' ${name}`)
  }
  addProgram('browser-mcp', noBrowser)
  const stdio = (name: string, more: object = {}) =>
    call('save_connector', { name, transport: 'stdio', cmd: `${name}-mcp`, ...more })
  await stdio('github', { env_keys: ['GITHUB_TOKEN'] })
  await stdio('ledger-db', { args: ['--db', 'main'], env_keys: ['LEDGER_URL'] })
  await stdio('fetch')
  await stdio('browser', { args: ['--headless'] })
  const bind = (session: string, connector: string, more: object = {}) =>
    call('bind_connector', { session, connector, ...more })
  await bind('checkout-retry', 'github')
  await bind('checkout-retry', 'ledger-db', {
    label: 'ledger',
    overrides: { args: ['--db', 'staging', '--read-only'] },
  })
  await bind('checkout-retry', 'fetch')
  await bind('release-notes', 'browser')
}

export async function fillConnections({ call }: Stage): Promise<void> {
  const http = (name: string, more: object) =>
    call('save_connector', { name, transport: 'http', base_url: `https://${name}.example/mcp`, ...more })
  await http('sentry', { headers: { Authorization: 'Bearer ${SENTRY_TOKEN}' } })
  await http('design-files', { enabled: false })
}

/** One tool was called, and the form of another has a mistake. */
export async function tryTool(page: Page, device: Device): Promise<void> {
  await page.getByRole('button', { name: /list_commits/ }).click()
  await page.getByRole('button', { name: /^Call/ }).click()
  await page.getByText('Last result').waitFor()
  if (device === 'phone') await page.getByRole('button', { name: 'All tools' }).click()
  await page.getByRole('button', { name: /create_pull_request/ }).click()
  await page.getByLabel(/^repo/).fill('storefront')
  await page.getByLabel(/^head/).fill('fix/checkout-retry')
  await page.getByRole('button', { name: 'Add reviewer' }).click()
  await page.getByLabel('reviewers 1 login').fill('payments-team')
  await page.getByRole('button', { name: /^Call/ }).click()
  await page.getByText('Give a title.').waitFor()
  await page.getByLabel(/^repo/).scrollIntoViewIfNeeded()
}

const pasted = `{
  "mcpServers": {
    "tickets": {
      "command": "npx",
      "args": ["-y", "tickets-mcp"],
      "env": { "TICKETS_TOKEN": "tk_live_41f0aB3dE5f6789012" }
    },
    "github": { "url": "https://api.example/mcp" }
  }
}`

export async function pasteServers(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Import' }).click()
  await page.getByLabel(/A command line/).fill(pasted)
  await page.getByText('Change those').click()
  await page.getByText('Secrets are not stored').waitFor()
}

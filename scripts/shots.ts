/**
 * `npm run shots`: pictures of the views of the page with real data, into docs/images/page. A real hub, real sessions,
 * and the scripted model as the agent. Light and dark, on a desktop and on a phone.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { fromAgent } from '../src/api/action-prompt.ts'
import { startScriptedModel } from '../test/agents/model/model.ts'
import { callTool } from '../test/harness/modern-call.ts'
import { createTempHome } from '../test/harness/temp-home.ts'
import { openBrowser } from '../test/page/browser.ts'
import { type HubProcess, startHubProcess } from '../test/worlds/hub-process.ts'
import { buildPageIfStale } from './page.ts'
import { changeStorefront, makeStorefront } from './shots-storefront.ts'

const images = join(import.meta.dirname, '../docs/images/page')

const devices = {
  desktop: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
} as const
type Device = keyof typeof devices

const policy = `
default: allow
rules:
  - ask: terminal_send_text
    when: { properties: { text: { pattern: push } }, required: [text] }
    reason: pushes leave this machine
  - deny: terminal_send_text
    when: { properties: { text: { pattern: psql } }, required: [text] }
    reason: the production database is read by people
`

/** What the agent does with each prompt. */
const scripts = {
  [fromAgent('How do you drop a duplicate attempt?')]: [
    'SAY I look at the importer.',
    'CALL terminal_read_screen {}',
    'SAY The production table would tell.',
    'CALL terminal_send_text {"text":"psql prod"}',
    'FINAL Each row is keyed on (order_id, attempt); a second insert with the same key is ignored. importer.py:88-97',
    'SLOW 60',
  ].join('\n'),
  'The capture worker retries a failed charge without a limit. Limit it.': [
    'THINK The worker counts after the charge, so a crash between the two charges twice.',
    'SAY I will look at the screen first.',
    'CALL terminal_read_screen {}',
    'SAY I ask the session that knows the ledger.',
    'CALL sessions_ask {"session":"ledger-schema","text":"How do you drop a duplicate attempt?"}',
    'SAY The worker counts an attempt *after* the charge. I reserve the attempt first, then charge with its `key`.',
    'CALL terminal_send_text {"text":"echo retry limited to 5 attempts\\r"}',
    'SAY The limit is in src/checkout/retry.ts:4-8. All 38 tests pass. `main` was rebased an hour ago, so the push needs a lease.',
    'CALL terminal_send_text {"text":"git push --force-with-lease origin fix/checkout-retry\\r"}',
    'FINAL Pushed.',
    'SLOW 60',
  ].join('\n'),
  'Write the notes for 2.14.0 and push the draft.':
    'SAY I push the draft so that you can edit it.\nCALL terminal_send_text {"text":"git push origin v2.14.0\\r"}\nFINAL done',
  'Do the tests pass?': 'FINAL The tests pass on the branch.',
}
const savedPolicy = `default: ask
rules:
  - allow: [terminal_read_*, terminal_send_*, resources_*, chat_*, loop_*, policy_*]
  - allow: own_shell
    when:  { properties: { command: { pattern: "^pnpm (test|vitest|lint)" } }, required: [command] }
  - allow: own_edit
    when:  { properties: { path: { pattern: "^(src|test|docs)/" } }, required: [path] }
  - ask: own_shell
    when:  { properties: { command: { pattern: "^git push" } }, required: [command] }
    reason: pushes leave this machine
  - ask: terminal_get_working_directory
  - abort: "*_delete_account"
`

const editedPolicy = savedPolicy.replace(
  '  - ask: terminal_get_working_directory\n',
  `  - allow: terminal_get_*
  - deny:  terminal_read_screen
    reason: screens may show secrets
  - deny:  terminal_serch_*
`,
)

buildPageIfStale()
mkdirSync(images, { recursive: true })
/** The names of the views, or all. */
const only = process.argv.slice(2)
await using opened = new AsyncDisposableStack()
const browser = opened.use(await openBrowser(execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim()))
const model = opened.use(await startScriptedModel({ scripts }))

{
  await using hub = await startHub()
  await shoot('empty', hub, (page) => page.getByText('Start your first session').waitFor())
  await shoot('login', hub, (page) => page.getByLabel('Token').waitFor(), { token: null })
}
await using hub = await startHub()
const { id: approval } = await fill(hub)

await shoot('home', hub, ready)
await shoot(
  'home-rows',
  hub,
  async (page) => {
    await page.getByRole('button', { name: 'Rows' }).click()
    await page.getByRole('table').waitFor()
  },
  { on: ['desktop'] },
)
await shoot('session', hub, threadShown, { path: 'terminal/checkout-retry' })
await shoot(
  'session-terminal',
  hub,
  async (page) => {
    await page.getByRole('tab', { name: 'Terminal' }).click()
    await page.locator('.xterm-rows').filter({ hasText: 'retry limited' }).waitFor()
  },
  { path: 'terminal/checkout-retry', on: ['phone'] },
)
await shoot(
  'configure',
  hub,
  async (page, device) => {
    await openConfigure(page, device)
    await page.getByRole('region', { name: 'ledger-db' }).getByRole('button').first().click()
    await page.getByLabel('args override').waitFor()
    await page.getByText(/^The agent sees/).waitFor()
  },
  { path: 'terminal/checkout-retry' },
)
const tabs = {
  tools: (page: Page) => page.getByRole('switch').first().waitFor(),
  events: (page: Page) => page.getByText('tool-called').first().waitFor(),
  files: (page: Page) => page.getByText('Suggested commit message').waitFor(),
}
for (const [tab, isShown] of Object.entries(tabs)) {
  await shoot(
    `session-${tab}`,
    hub,
    async (page) => {
      await page.getByRole('tab', { name: new RegExp(`^${tab}`, 'i') }).click()
      await isShown(page)
    },
    { path: 'terminal/checkout-retry' },
  )
}
await shoot('approvals', hub, (page) => page.getByRole('button', { name: 'Allow once' }).waitFor(), {
  path: `approvals/${approval}`,
})
await shoot('approvals-list', hub, (page) => page.getByText('Waiting for you').first().waitFor(), {
  path: 'approvals',
  on: ['phone'],
})
await shoot('approvals-rule', hub, (page) => page.getByRole('button', { name: 'Write a rule…' }).click(), {
  path: `approvals/${approval}`,
  on: ['desktop'],
})
await shoot('approvals-deny', hub, (page) => page.getByRole('button', { name: 'Deny…' }).click(), {
  path: `approvals/${approval}`,
  on: ['phone'],
})
await shoot('new-session', hub, async (page, device) => {
  await page
    .getByRole('button', { name: device === 'phone' ? 'New' : 'New session' })
    .first()
    .click()
  await page.getByRole('dialog').waitFor()
})
await shoot('palette', hub, async (page) => {
  await ready(page)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('ch')
})
await shoot(
  'keys',
  hub,
  async (page) => {
    await ready(page)
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
  },
  { on: ['desktop'] },
)
await shoot(
  'activity',
  hub,
  async (page) => {
    await page.getByRole('link', { name: /2 sessions/ }).click()
    await page.getByRole('treeitem', { name: /^sessions_ask/ }).click()
  },
  { path: 'activity' },
)
await shoot('activity-list', hub, (page) => page.getByText('2 sessions').waitFor(), { path: 'activity', on: ['phone'] })
await shoot('activity-events', hub, (page) => page.getByRole('button', { name: 'turn-started' }).first().waitFor(), {
  path: 'activity/events',
})
await shoot('activity-usage', hub, (page) => page.getByRole('table').waitFor(), { path: 'activity/usage' })
if (only.length === 0 || only.includes('policy')) await fillPolicy(hub)
await shoot('policy', hub, editPolicy, { path: 'policy/hub' })
await shoot('policy-list', hub, (page) => page.getByText('Proposals').waitFor(), { path: 'policy', on: ['phone'] })
await shootLost(hub)

async function startHub(): Promise<HubProcess> {
  const home = opened.use(await createTempHome())
  const directory = join(home.path, 'hub')
  mkdirSync(join(directory, 'templates'), { recursive: true, mode: 0o700 })
  const assistant = {
    name: 'assistant',
    label: 'Assistant',
    command: 'bash',
    args: ['--norc', '--noprofile', '-i'],
    env: { PS1: '~/src/storefront $ ' },
    driver: 'model',
    mode: 'both',
    model: {},
    terminal_tools: ['read_screen', 'send_text', 'send_keys', 'wait_for', 'get_working_directory'],
    conversation: { resume: [] },
    activity: 'shell',
    policy,
  }
  writeFileSync(join(directory, 'templates/assistant.json'), JSON.stringify(assistant))
  return startHubProcess({
    home: directory,
    env: {
      SIGNALBOX_MODEL: 'scripted',
      SIGNALBOX_MODEL_BASE_URL: `${model.origin}/v1`,
      SIGNALBOX_MODEL_API_KEY: 'none',
      PS1: '$ ',
    },
  })
}

/** Sessions that wait, work, rest and have ended. */
async function fill(hub: HubProcess): Promise<{ readonly id: string }> {
  const call = (tool: string, args: Readonly<Record<string, unknown>>) => callTool(hub, tool, args)
  const prompt = (session: string, text: string) => call('prompt_session', { session, text, wait: false })
  const shell = (name: string, command: string) => call('create_session', { name, template: 'shell', command })
  await shell('deps-upgrade', 'echo "23 packages raised, 4 left alone"; echo "Opened pull request 482"; exit 0')
  await shell('mailer-tests', 'echo "3 tests failed"; exit 1')
  await shell(
    'ops-shell',
    String.raw`printf 'Filesystem  Size  Used Avail Use%%\n/dev/vda1   118G   71G   42G  63%%\n\033[32mops\033[0m ~/srv $ '; cat`,
  )
  const working = String.raw`while :; do for test in capture retry ledger limits refund; do printf '\033[32m✓\033[0m test/checkout/%s.test.ts \033[2m(%d)\033[0m\n' $test $((RANDOM % 40)); sleep 0.4; done; done`
  await shell('ledger-import', `${process.execPath} -e 0; signalbox=1; ${working}`)
  await shell('flaky-hunt', working)
  const storefront = makeStorefront(join(opened.use(await createTempHome()).path, 'storefront'))
  const place = { working_dir: storefront, worktree: true }
  const session = await call('create_session', { name: 'checkout-retry', template: 'assistant', ...place })
  changeStorefront(String(session['workspace_path']))
  await bindConnections(call)
  await call('create_session', { name: 'release-notes', template: 'assistant' })
  await call('create_session', { name: 'ledger-schema', template: 'assistant' })
  await prompt('checkout-retry', 'Do the tests pass?')
  await sleep(1_000)
  await prompt('checkout-retry', 'The capture worker retries a failed charge without a limit. Limit it.')
  await prompt('release-notes', 'Write the notes for 2.14.0 and push the draft.')
  for (;;) {
    const { approvals } = (await call('list_approvals', {})) as { approvals: { id: string; session: string }[] }
    const found = approvals.find(({ session }) => session === 'checkout-retry')
    if (approvals.length === 2 && found) return found
    await sleep(200)
  }
}

/** Two versions of the hub's policy, a call that was denied, a grant, and a proposal. */
async function fillPolicy(hub: HubProcess): Promise<void> {
  const call = (tool: string, args: Readonly<Record<string, unknown>>) => callTool(hub, tool, args)
  await call('set_policy', { source: savedPolicy.replace(/ {2}- ask: own_shell[^]*?machine\n/, '') })
  await call('set_policy', { source: savedPolicy })
  await call('create_session', { name: 'cart-tests', template: 'assistant', policy: '- deny: own_fetch\n' })
  const rules = JSON.stringify({
    rules: '- allow: terminal_wait_for\n- allow: terminal_send_keys\n',
    why: 'I need both for the cart test, 40 times an hour.',
  })
  const calls = ['terminal_get_working_directory {}', 'terminal_get_working_directory {}', `policy_propose ${rules}`]
  const text = [...calls.map((each) => `CALL ${each}`), 'FINAL done'].join('\n')
  await call('prompt_session', { session: 'cart-tests', text, wait: false })
  for (const answer of [{ decision: 'deny' }, { decision: 'approve', scope: 'session' }]) {
    await call('decide_approval', { id: await nextApproval(hub, 'cart-tests'), ...answer })
  }
}

async function nextApproval(hub: HubProcess, session: string): Promise<string> {
  for (;;) {
    const { approvals } = (await callTool(hub, 'list_approvals', { session })) as { approvals: { id: string }[] }
    if (approvals[0]) return approvals[0].id
    await sleep(200)
  }
}

async function editPolicy(page: Page): Promise<void> {
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(editedPolicy)
  await page.locator('.ed-note').waitFor()
  await page.getByRole('button', { name: /^Run/ }).click()
  await page.locator('.sim-t').waitFor()
}

/** Three connections of one session, one of them with overrides. */
async function bindConnections(call: (tool: string, args: Readonly<Record<string, unknown>>) => Promise<unknown>) {
  const { path: cwd } = opened.use(await createTempHome())
  const program = join(import.meta.dirname, '../test/worlds/stdio-upstream.ts')
  const counts = { github: 26, 'ledger-db': 6, fetch: 1 }
  for (const [name, count] of Object.entries(counts)) {
    const tools = Array.from({ length: count }, (_, index) => ({
      name: `tool_${index + 1}`,
      inputSchema: { type: 'object' },
    }))
    writeFileSync(join(cwd, `${name}.json`), JSON.stringify({ tools }))
    const start = `#!/bin/sh\nexec '${process.execPath}' '${program}' log ${name}.json\n`
    writeFileSync(join(cwd, name), start, { mode: 0o700 })
    const connector = { name, transport: 'stdio', cmd: `./${name}`, args: ['--db', 'main'], options: { cwd } }
    await call('save_connector', connector)
    const own = { label: 'ledger', overrides: { args: ['--db', 'staging', '--read-only'] } }
    await call('bind_connector', { session: 'checkout-retry', connector: name, ...(name === 'ledger-db' && own) })
  }
}

async function openConfigure(page: Page, device: Device): Promise<void> {
  if (device === 'phone') {
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Configure…' }).click()
  } else await page.getByRole('button', { name: 'Configure' }).click()
}

interface ShotOptions {
  readonly path?: string
  readonly token?: string | null
  readonly on?: readonly Device[]
}

async function shoot(
  name: string,
  hub: HubProcess,
  prepare: (page: Page, device: Device) => Promise<unknown>,
  { path = '', token = hub.token, on = ['desktop', 'phone'] }: ShotOptions = {},
): Promise<void> {
  if (only.length > 0 && !only.includes(name)) return
  for (const device of on) {
    for (const theme of ['light', 'dark'] as const) {
      await using context = await openContext(browser, device, theme)
      const page = await context.newPage()
      await page.goto(`http://127.0.0.1:${hub.port}/${path}${token === null ? '' : `#token=${token}`}`)
      await prepare(page, device)
      await settle(page)
      await page.screenshot({ path: join(images, `${name}-${device}-${theme}.png`) })
    }
  }
}

/** The hub goes away under the open page. */
async function shootLost(hub: HubProcess): Promise<void> {
  if (only.length > 0 && !only.includes('lost')) return
  const shown: [BrowserContext, Page, string][] = []
  for (const device of ['desktop', 'phone'] as const) {
    for (const theme of ['light', 'dark'] as const) {
      const context = await openContext(browser, device, theme)
      const page = await context.newPage()
      await page.goto(`http://127.0.0.1:${hub.port}/#token=${hub.token}`)
      await ready(page)
      shown.push([context, page, `lost-${device}-${theme}.png`])
    }
  }
  await hub.end('SIGKILL')
  for (const [context, page, name] of shown) {
    await page.getByRole('alert').waitFor()
    await settle(page)
    await page.screenshot({ path: join(images, name) })
    await context.close()
  }
}

async function openContext(browser: Browser, device: Device, colorScheme: 'light' | 'dark'): Promise<BrowserContext> {
  return browser.newContext({ ...devices[device], colorScheme, reducedMotion: 'reduce' })
}

async function ready(page: Page): Promise<void> {
  await page.getByText('Waiting for you').first().waitFor()
}

async function threadShown(page: Page): Promise<void> {
  await page.getByText('needs a lease').first().waitFor()
}

/** Fonts, lazy parts and the first thumbnails. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(() => document.fonts.ready)
  await sleep(1_500)
}

import { mkdirSync, writeFileSync } from 'node:fs'
import { startPageWorld } from '../test/page/page-world.ts'
import { buildPageIfStale } from './page.ts'
buildPageIfStale()
await using world = await startPageWorld('/usr/bin/chromium')
const call = world.call
const agentCall = async (name: string, script: string) => { await world.agent(name, script) }
const source = `default: ask
rules:
  - allow: [terminal_read_*, resources_*, chat_*, loop_*]
  - allow: own_shell
    when:  { properties: { command: { pattern: "^pnpm (test|vitest|lint)" } }, required: [command] }
  - allow: own_edit
    when:  { properties: { path: { pattern: "^(src|test|docs)/" } }, required: [path] }
  - ask: own_shell
    when:  { properties: { command: { pattern: "^git push" } }, required: [command] }
    reason: pushes leave this machine
  - allow: policy_*
  - abort: "*_delete_account"
`
await agentCall('release-notes', 'CALL terminal_send_text {"text":"echo ask push"}\nFINAL ok')
await agentCall('checkout-retry', 'CALL terminal_send_text {"text":"echo ask two"}\nFINAL ok')
await agentCall('flaky-hunt', 'CALL policy_propose {"rules":"- allow: terminal_send_text\\n- allow: terminal_send_keys","why":"I need both for the cart test, 40 times an hour."}\nCALL terminal_read_screen {}\nFINAL ok')
await call('create_session', { name: 'ops-shell', template: 'shell', command: 'cat' })
for (;;) {
  const { approvals } = (await call('list_approvals')) as any
  if (approvals.length >= 2) {
    await call('decide_approval', { id: approvals[0].id, decision: 'deny', reason: 'no' })
    await call('decide_approval', { id: approvals[1].id, decision: 'approve', scope: 'session' })
    break
  }
  await new Promise((r) => setTimeout(r, 300))
}
await new Promise((r) => setTimeout(r, 3000))
await call('set_policy', { scope: 'hub', source: source.replace(/ {2}- ask[\s\S]*?machine\n/, '') })
await call('set_policy', { scope: 'hub', source })
await call('set_policy', { scope: 'session', target: 'checkout-retry', source: '- deny: own_fetch\n' })
const draft = source.replace('  - abort', `  - allow: terminal_send_text
  - deny:  own_search
    when:  { properties: { sql: { pattern: "(?i)^(drop|alter|truncate)" } }, required: [sql] }
    reason: migrations go through review
  - deny: [terminal_read_screen, policy_propose]
  - deny:  own_serch
  - abort`)
mkdirSync('/tmp/shots', { recursive: true })
const { version } = (await call('get_policy')) as any
const views = process.argv.slice(2)
for (const device of ['desktop', 'phone'] as const) for (const theme of ['light', 'dark'] as const) {
  const options = device === 'desktop' ? { viewport: { width: 1440, height: 900 } } : { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }
  await using viewer = await world.open('policy/hub', options as any)
  const { page, complaints } = viewer
  await page.locator('.cm-content').waitFor()
  await page.evaluate(([t, d]) => { localStorage.setItem('signalbox-theme', t!); document.documentElement.dataset.theme = t!; sessionStorage.setItem('signalbox-draft:policy:hub', d!) }, [theme, JSON.stringify({ base: version, text: draft })])
  await page.reload()
  await page.evaluate((t) => { document.documentElement.dataset.theme = t! }, theme)
  await page.locator('.ed-note').first().waitFor({timeout: 12000}).catch(async () => { await page.screenshot({ path: '/tmp/shots/fail.png' }); console.log(complaints, JSON.stringify(await call('check_policy', {source: draft}))); throw 1 })
  await page.getByRole('button', { name: /^Run/ }).click()
  await page.locator('.sim-t').waitFor()
  await page.screenshot({ path: `/tmp/shots/policy-${device}-${theme}.png` })
  if (theme === 'light' && device === 'desktop') {
    await page.getByRole('button', { name: /^Diff with/ }).click()
    await page.locator('.diff').waitFor()
    await page.screenshot({ path: '/tmp/shots/diff.png' })
    await page.getByRole('button', { name: 'Back to the editor' }).click()
    await page.getByRole('button', { name: 'Check one call' }).click()
    await page.getByLabel('Tool').fill('own_search')
    await page.getByLabel('Arguments').fill('{"sql": "drop table x"}')
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.locator('.chk-o').waitFor()
    await page.screenshot({ path: '/tmp/shots/check.png' })
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Show them' }).click().catch(() => {})
    await page.locator('.hist').first().click()
    await page.locator('.diff').waitFor()
    await page.screenshot({ path: '/tmp/shots/version.png' })
    await page.getByRole('button', { name: 'Accept…' }).click()
    await page.screenshot({ path: '/tmp/shots/accept.png' })
  }
  if (theme === 'light' && device === 'phone') {
    await page.evaluate(() => document.querySelector('.pol')!.scrollTo(0, 10000))
    await page.screenshot({ path: '/tmp/shots/phone-bottom.png' })
    await page.getByRole('link', { name: 'Back' }).tap()
    await page.getByText('Proposals').waitFor()
    await page.screenshot({ path: '/tmp/shots/phone-list.png' })
  }
  console.log(device, theme, complaints)
}

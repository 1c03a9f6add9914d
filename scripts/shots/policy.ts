/** Two versions of the hub's policy, a call that was denied, a grant, and a proposal. */
import type { Page } from 'playwright-core'
import { nextApproval } from './sessions.ts'
import type { Stage } from './stage.ts'

const saved = `default: ask
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

const edited = saved.replace(
  '  - ask: terminal_get_working_directory\n',
  `  - allow: terminal_get_*
  - deny:  terminal_read_screen
    reason: screens may show secrets
  - deny:  terminal_serch_*
`,
)

export async function fillPolicy(stage: Stage): Promise<void> {
  const { call } = stage
  await call('set_policy', { source: saved.replace(/ {2}- ask: own_shell[^]*?machine\n/, '') })
  await call('set_policy', { source: saved })
  await call('create_session', { name: 'cart-tests', template: 'assistant', policy: '- deny: own_fetch\n' })
  const rules = JSON.stringify({
    rules: '- allow: terminal_wait_for\n- allow: terminal_send_keys\n',
    why: 'I need both for the cart test, 40 times an hour.',
  })
  const calls = ['terminal_get_working_directory {}', 'terminal_get_working_directory {}', `policy_propose ${rules}`]
  const text = [...calls.map((each) => `CALL ${each}`), 'FINAL done'].join('\n')
  await call('prompt_session', { session: 'cart-tests', text, wait: false })
  for (const answer of [{ decision: 'deny' }, { decision: 'approve', scope: 'session' }]) {
    await call('decide_approval', { id: await nextApproval(stage, 'cart-tests'), ...answer })
  }
}

export async function editPolicy(page: Page): Promise<void> {
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(edited)
  await page.locator('.ed-note').waitFor()
  await page.getByRole('button', { name: /^Run/ }).click()
  await page.locator('.sim-t').waitFor()
}

/** Tokens of several devices, one of which gets notifications, and a template with a mistake. */
import type { Page } from 'playwright-core'
import type { Device } from './camera.ts'
import type { Stage } from './stage.ts'

export async function fillSettings({ call }: Stage): Promise<void> {
  const human = { role: 'human' }
  await call('issue_token', { ...human, label: 'phone', expires_in: '30d', toolsets: ['sessions', 'approvals'] })
  await call('issue_token', { ...human, label: 'editor', toolsets: ['sessions', 'terminal'] })
  await call('subscribe_push', {
    endpoint: 'https://push.example/1',
    public_key: Buffer.alloc(65, 4).toString('base64url'),
    auth_secret: Buffer.alloc(16, 1).toString('base64url'),
    label: 'Chrome on Android',
  })
}

/** Every picture issues one. The list shows only the one of this picture. */
export async function issueToken({ call }: Stage, page: Page): Promise<void> {
  const label = 'build server'
  const { tokens } = (await call('list_tokens')) as { tokens: { id: string; label?: string | null }[] }
  for (const { id } of tokens.filter((token) => token.label === label)) await call('revoke_token', { id })
  await page.getByRole('button', { name: 'Issue token' }).click()
  await page.getByLabel('What it is for').fill(label)
  await page.getByRole('button', { name: 'Issue', exact: true }).click()
  await page.getByText('Copy it now').waitFor()
}

const mistaken = `{
  "name": "claude",
  "label": "Claude Code",
  "command": "claude",
  "args": ["--model", "sonnet"],
  "driver": "claude",
  "session_type": "longrunning",
  "env_keys": ["ANTHROPIC_API_KEY"]
}
`

export async function editTemplate(page: Page, device: Device): Promise<void> {
  const editor = page.locator('.cm-content')
  await editor.waitFor()
  if (device === 'phone') await page.locator('.tp-choose select').selectOption('claude')
  else {
    await page
      .getByRole('button', { name: /claude/ })
      .first()
      .click()
  }
  await editor.fill(mistaken)
  await page.getByText('One of:').waitFor()
}

/** Sessions that wait, work, rest and have ended. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { prompts } from './agent-scripts.ts'
import type { Device } from './camera.ts'
import { bindConnections } from './connections.ts'
import type { Stage } from './stage.ts'
import { changeStorefront, makeStorefront } from './storefront.ts'

export async function fillSessions(stage: Stage): Promise<void> {
  const { call } = stage
  const prompt = (session: string, text: string) => call('prompt_session', { session, text, wait: false })
  const shell = (name: string, command: string) => call('create_session', { name, template: 'shell', command })
  await shell('deps-upgrade', 'echo "23 packages raised, 4 left alone"; echo "Opened pull request 482"; exit 0')
  await shell('mailer-tests', 'echo "3 tests failed"; exit 1')
  await shell(
    'ops-shell',
    String.raw`printf 'Filesystem  Size  Used Avail Use%%\n/dev/vda1   118G   71G   42G  63%%\n\033[32mops\033[0m ~/srv $ '; cat`,
  )
  const working = String.raw`while :; do for test in capture retry ledger limits refund; do printf '\033[32m✓\033[0m test/checkout/%s.test.ts \033[2m(%d)\033[0m\n' $test $((RANDOM % 40)); sleep 0.4; done; done`
  await shell('ledger-import', `signalbox=1; ${working}`)
  await shell('flaky-hunt', working)
  const place = { template: 'assistant', working_dir: makeStorefront(join(stage.home, 'src/storefront')) }
  const session = await call('create_session', { name: 'checkout-retry', ...place, worktree: true })
  changeStorefront(String(session['workspace_path']))
  await call('create_session', { name: 'release-notes', ...place })
  await call('create_session', { name: 'ledger-schema', template: 'assistant' })
  await bindConnections(stage)
  await prompt('checkout-retry', prompts.tests)
  await sleep(1_000)
  await prompt('checkout-retry', prompts.retries)
  await nextApproval(stage, 'checkout-retry')
  await prompt('release-notes', prompts.notes)
  await nextApproval(stage, 'release-notes')
}

/** Waits until the session asks for something. */
export async function nextApproval({ call }: Stage, session: string): Promise<string> {
  for (;;) {
    const { approvals } = (await call('list_approvals', { session })) as { approvals: { id: string }[] }
    if (approvals[0]) return approvals[0].id
    await sleep(200)
  }
}

export async function showApproval(page: Page): Promise<void> {
  await page.getByRole('region', { name: 'List of approvals' }).getByText('checkout-retry').first().click()
  await page.getByRole('button', { name: 'Allow once' }).waitFor()
}

export async function openNewSession(page: Page, device: Device): Promise<void> {
  const name = device === 'phone' ? 'New' : 'New session'
  await page.getByRole('button', { name }).first().click()
  await page.getByRole('dialog').waitFor()
}

export async function unfoldNewSession(page: Page, device: Device): Promise<void> {
  await openNewSession(page, device)
  await page.getByRole('radio', { name: /^assistant/ }).check({ force: true })
  await page.getByText(/^Model, mode/).click()
  await page.getByLabel('Sandbox').scrollIntoViewIfNeeded()
}

export async function openConfigure(page: Page, device: Device): Promise<void> {
  if (device === 'phone') {
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Configure…' }).click()
  } else await page.getByRole('button', { name: 'Configure' }).click()
  await page.getByRole('region', { name: 'ledger-db' }).getByRole('button').first().click()
  await page.getByLabel('args override').waitFor()
  await page.getByText(/^The agent sees/).waitFor()
}

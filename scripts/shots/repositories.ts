/** Repositories with an index, and a question about one of them. */
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { prompts } from './agent-scripts.ts'
import type { Stage } from './stage.ts'
import { commitFiles } from './storefront.ts'

const checkout = {
  'src/checkout/retry.ts': `// An attempt has its key before any money moves.
import { attempts, clock } from './attempts.ts'

async function reserve(id: OrderId, { max }: Limit) {
  const taken = await attempts.count(id)
  if (taken >= max) return undefined

  const attempt = { id, number: taken + 1 }
  const key = \`\${id}:\${attempt.number}\`

  const row = await attempts.insert({
    ...attempt,
    key,
    state: 'reserved',
    at: clock.now(),
  })
  return row
}

export async function giveUp(order: Order) {
  await orders.mark(order.id, 'payment-failed')
  await notify(order, templates.paymentFailed)
}
`,
  'src/checkout/gateway.ts': `export async function charge(row: Attempt) {
  const answer = await provider.post('/charges', {
    amount: row.amount,
    idempotencyKey: row.key,
  })
  return answer
}
`,
  'src/checkout/sweeper.ts': `export async function sweep() {
  const stale = await attempts.olderThan(minutes(2), 'reserved')
  for (const row of stale) await queue.hand(row)
}
`,
}
const ledger = { 'importer.py': 'def importer(rows):\n    return {row.key: row for row in rows}\n' }
const machines = Object.fromEntries(
  Array.from({ length: 60 }, (_, index) => [`machine-${index + 1}.tf`, `resource "machine" "m${index + 1}" {}\n`]),
)

export async function fillRepositories({ home, call }: Stage): Promise<void> {
  for (const [name, files] of Object.entries({ storefront: checkout, ledger, infrastructure: machines })) {
    await call('add_repository', { path: commitFiles(join(home, 'repositories', name), files) })
  }
}

export async function askRepository(page: Page): Promise<void> {
  await page.getByLabel('Question').fill(prompts.repository)
  await page.keyboard.press('Control+Enter')
  await page.getByRole('button', { name: /retry\.ts:4-18/ }).click()
  await page.locator('tr.hit').first().waitFor()
}

export async function searchRepository(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.getByRole('searchbox').fill('reserve attempt')
  await page.keyboard.press('Enter')
  await page.locator('.hit-item').first().click()
  await page.locator('tr.hit').first().waitFor()
}

/** The commands on the page about access from elsewhere work as it says. */
import { expect, test } from 'vitest'
import { createReader } from './documents/newcomer.ts'
import { readSteps } from './documents/page-steps.ts'
import { readPage } from './documents/pages.ts'
import { runSteps } from './documents/run-steps.ts'
import { requires } from './harness/requires.ts'

const page = readPage('docs/guides/from-elsewhere.md')
const openssl = requires('openssl')

openssl.describe('the guide', () => {
  test('leads to a hub with a certificate and to a QR code', { timeout: 240_000 }, async () => {
    await using reader = await createReader()
    await runSteps(readSteps(page), reader)
  })
})

test('the page marks each part that no test runs', () => {
  const parts = page.split(/^## /m).filter((part) => part.includes('```sh shown='))
  expect(parts.map((part) => part.split('\n')[0])).toEqual(['Tailscale', 'Cloudflare Tunnel'])
  for (const part of parts) expect(part).toContain('\nNot run by a test.')
})

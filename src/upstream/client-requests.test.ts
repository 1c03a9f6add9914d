import { expect, test } from 'vitest'
import { createLog } from '../base/log.ts'
import { createRedactor } from '../base/redact.ts'
import { createClientRequests } from './client-requests.ts'

test('an upstream that keeps asking and reads no answer does not fill the hub with answers', async () => {
  let sent = 0
  const clientRequests = createClientRequests({
    send() {
      sent++
      return new Promise(() => {})
    },
    log: createLog({ level: 'error', redactor: createRedactor(), destination: { write() {} } }),
  })
  for (let id = 0; id < 5_000; id++) {
    clientRequests.run({ jsonrpc: '2.0', id: `p${id}`, method: 'ping' }, async () => ({}), undefined)
    clientRequests.run({ jsonrpc: '2.0', id: `r${id}`, method: 'roots/list' }, async () => ({ roots: [] }), undefined)
    await Promise.resolve()
  }
  expect(sent).toBe(1_000)
})

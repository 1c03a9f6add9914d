import { expect, test } from 'vitest'
import { checkEndpoint, endpointLookup } from './push-endpoint.ts'
import { createPushSender } from './send-push.ts'

const rules = { allowsPrivate: false }
const closed = [
  '127.0.0.1',
  '0.0.0.1',
  '10.1.2.3',
  '100.64.0.1',
  '169.254.169.254',
  '172.31.0.1',
  '192.0.0.8',
  '192.168.0.1',
  '198.19.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '0x7f.1',
  '2130706433',
  '[::]',
  '[::1]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::10.0.0.1]',
  '[64:ff9b:1::1]',
  '[2001::1]',
  '[2002:7f00:1::]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
]

test.each(closed)('a push endpoint at %s is refused, also if an earlier hub has stored it', async (host) => {
  const endpoint = `https://${host}/push`
  expect(() => checkEndpoint(endpoint, rules)).toThrow('of this machine or of a private network')
  const sender = createPushSender({ key: Buffer.alloc(32, 1), contact: 'mailto:a@example.com', rules })
  const keys = { publicKey: '', authSecret: '' }
  const about = { id: 'p1', label: 'phone', tokenId: 't1', createdAt: '', sentAt: undefined, lastError: undefined }
  const subscription = { ...about, ...keys, endpoint }
  expect(await sender.send(subscription, {}, AbortSignal.timeout(5_000))).toMatchObject({
    is: 'failed',
  })
})

test.each(['1.1.1.1', '172.32.0.1', '100.128.0.1', '[2606:4700::1111]', '[64:ff9b::1.1.1.1]'])(
  'a push endpoint at %s is accepted',
  (host) => expect(() => checkEndpoint(`https://${host}/push`, rules)).not.toThrow(),
)

test('a name that leads to this machine is refused when the hub connects', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  endpointLookup(rules)('localhost', { all: true }, (error, found) => resolve(error ?? found))
  expect(await promise).toMatchObject({ message: expect.stringContaining('localhost is an address of this machine') })
})

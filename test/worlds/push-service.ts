/** A stand-in for the push service of a browser vendor. It decrypts what arrives, as the browser would (RFC 8291). */
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface PushService extends AsyncDisposable {
  readonly origin: string
  /** Returns the subscription that a browser would get. */
  subscribe(): Subscription
  /** The messages that have arrived, oldest first. */
  readonly received: readonly Received[]
  /** Answers with this status from now on. `undefined`: never answers. */
  answer: number | undefined
}

export interface Subscription {
  readonly endpoint: string
  readonly public_key: string
  readonly auth_secret: string
}

export interface Received {
  readonly endpoint: string
  readonly message: unknown
  /** The key of the sender, which has signed the request. */
  readonly senderKey: string
  readonly headers: Readonly<Record<string, unknown>>
}

export async function startPushService(): Promise<PushService> {
  const browsers = new Map<string, Browser>()
  const received: Received[] = []
  const service: { answer: number | undefined } = { answer: 201 }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      const browser = browsers.get(request.url ?? '')
      const endpoint = `${origin()}${request.url}`
      if (browser) {
        const senderKey = signerOf(String(request.headers.authorization), origin())
        const message: unknown = JSON.parse(decrypt(Buffer.concat(chunks), browser).toString())
        received.push({ endpoint, message, senderKey, headers: request.headers })
      }
      if (service.answer !== undefined) response.writeHead(browser ? service.answer : 404).end()
    })
  })
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(service, {
    origin: origin(),
    received,
    subscribe(): Subscription {
      const pair = createECDH('prime256v1')
      const publicKey = pair.generateKeys()
      const secret = randomBytes(16)
      const path = `/send/${randomBytes(8).toString('hex')}`
      browsers.set(path, { pair, publicKey, secret })
      return {
        endpoint: `${origin()}${path}`,
        public_key: publicKey.toString('base64url'),
        auth_secret: secret.toString('base64url'),
      }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

interface Browser {
  readonly pair: ReturnType<typeof createECDH>
  readonly publicKey: Buffer
  readonly secret: Buffer
}

/** RFC 8188: salt, record size, length of the key, key of the sender, one record. */
function decrypt(body: Buffer, { pair, publicKey, secret }: Browser): Buffer {
  const salt = body.subarray(0, 16)
  const keyEnd = 21 + body.readUInt8(20)
  const senderKey = body.subarray(21, keyEnd)
  const shared = pair.computeSecret(senderKey)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, senderKey])
  const input = Buffer.from(hkdfSync('sha256', shared, secret, info, 32))
  const key = Buffer.from(hkdfSync('sha256', input, salt, 'Content-Encoding: aes128gcm\0', 16))
  const nonce = Buffer.from(hkdfSync('sha256', input, salt, 'Content-Encoding: nonce\0', 12))
  const decipher = createDecipheriv('aes-128-gcm', key, nonce)
  decipher.setAuthTag(body.subarray(-16))
  const padded = Buffer.concat([decipher.update(body.subarray(keyEnd, -16)), decipher.final()])
  // The text ends with the byte 2 and zeros.
  return padded.subarray(0, padded.lastIndexOf(2))
}

/** RFC 8292. Throws if the signature is wrong, or meant for another service. */
function signerOf(authorization: string, audience: string): string {
  const [, token = '', key = ''] = /^vapid t=([^,]+), ?k=(.+)$/.exec(authorization) ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  }
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  const { aud } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { aud: string }
  if (!isSigned || aud !== audience) throw new Error(`The request is not signed for ${audience}.`)
  return key
}

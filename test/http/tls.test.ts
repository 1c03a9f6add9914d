/** The hub with a certificate of its own: https on its port, plain HTTP for programs of the same machine, renewal. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, readFile, rename, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CertificateFiles, makeCertificate, readAuthority } from '../fixtures/certificate.ts'
import { runInProcess } from '../fixtures/run-cli.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { requires } from '../harness/requires.ts'
import { createTempHome } from '../harness/temp-home.ts'
import { shippedHub } from '../worlds/hub-process.ts'
import { type OwnHub, faultsIn, patience, startOwnHub } from '../worlds/own-hub.ts'
import { exchange } from './exchange.ts'
import { openSocket, type RawSocket } from './raw-socket.ts'
import { scriptOf } from './page-script.ts'

const openssl = requires('openssl')

openssl.describe('a hub with a certificate', () => {
  const opened = new AsyncDisposableStack()
  let directory: string
  let files: CertificateFiles
  let hub: OwnHub
  let authority: string
  beforeAll(async () => {
    directory = opened.use(await createTempHome()).path
    files = await makeCertificate(openssl.path, directory, 'hub')
    authority = await readAuthority(files)
    const started = await startOwnHub({
      program: shippedHub,
      env: {
        SIGNALBOX_TLS_CERT: files.cert,
        SIGNALBOX_TLS_KEY: files.key,
      },
    })
    hub = opened.use(started)
  })
  afterAll(() => opened.disposeAsync())

  async function getSecurely(path: string, ca = authority): Promise<{ status: number; text: string; from: string }> {
    const [response] = (await once(
      request({ host: '127.0.0.1', port: hub.port, path, ca, agent: false }).end(),
      'response',
    )) as [IncomingMessage]
    const from = nameOf((response.socket as TLSSocket).getPeerCertificate())
    return { status: response.statusCode ?? 0, text: Buffer.concat(await response.toArray()).toString(), from }
  }

  test('serves the page and the endpoint over https, as http/1.1', async () => {
    expect(await getSecurely('/healthz')).toMatchObject({ status: 200, from: 'hub' })
    const script = scriptOf((await getSecurely('/')).text)
    expect((await getSecurely(script)).text.length).toBeGreaterThan(100_000)
    const socket = connect({ host: '127.0.0.1', port: hub.port, ca: authority, ALPNProtocols: ['h2', 'http/1.1'] })
    await once(socket, 'secureConnect')
    expect(socket.alpnProtocol).toBe('http/1.1')
    socket.destroy()
  })

  test('names https in hub.json, in follow links and in the ready line', async () => {
    const { url } = JSON.parse(await readFile(join(hub.home, 'hub.json'), 'utf8')) as { url: string }
    expect(url).toBe(`https://127.0.0.1:${hub.port}/mcp`)
    await hub.call('create_session', { name: 'secure', command: 'cat' })
    const { session_url: link } = await hub.call('get_session_url', { name: 'secure' })
    expect(link).toBe(`https://127.0.0.1:${hub.port}/terminal/secure`)
  })

  test('the commands still use the socket, and work over https and over http', async () => {
    const env = { SIGNALBOX_HOME: hub.home }
    expect(await runInProcess(['ls'], { env })).toMatchObject({ code: 0 })
    expect(await runInProcess(['call', 'hub_status'], { env })).toMatchObject({ code: 0 })
    const programEnv = { PATH: process.env['PATH'], ...env, NODE_EXTRA_CA_CERTS: files.cert }
    const run = async (...words: string[]) => {
      const program = spawn(process.execPath, [shippedHub[0]!, ...words], { env: programEnv })
      const [stderr, [status]] = await Promise.all([readAll(program.stderr), once(program, 'close')])
      return { status, stderr }
    }
    const address = `127.0.0.1:${hub.port}`
    const secure = ['--url', `https://${address}`, '--token-file', join(hub.home, 'token')]
    expect(await run('probe', ...secure)).toEqual({ status: 0, stderr: '' })
    expect(await run('status', '--url', `http://${address}`)).toEqual({ status: 0, stderr: '' })
  })

  test('gives agents of the same machine an address that needs no certificate', async () => {
    await hub.call('create_session', { name: 'agent', template: 'shell', command: 'echo "url=$SIGNALBOX_URL"; cat' })
    const screen = async () => JSON.stringify(await hub.call('read_screen', { session: 'agent' }))
    await expect.poll(screen, patience).toContain(`url=http://127.0.0.1:${hub.port}/mcp`)
    expect((await exchange(hub, { method: 'GET', path: '/healthz', token: null })).status).toBe(200)
  })

  test('answers on one connection several times, large bodies and streams included', async () => {
    const socket = connect({ host: '127.0.0.1', port: hub.port, ca: authority })
    await once(socket, 'secureConnect')
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    for (let count = 1; count <= 3; count++) {
      socket.write(`GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      await expect.poll(() => text.split('{"ok":true}').length - 1, patience).toBe(count)
    }
    socket.destroy()
  })

  test('limits sockets that never finish the handshake, and ignores bytes that are neither TLS nor HTTP', async () => {
    const silent: RawSocket[] = []
    for (let count = 0; count < 200; count++) silent.push(await openSocket(hub.port))
    // The first half says how a handshake begins.
    await Promise.all(silent.slice(0, 100).map((socket) => socket.write(Buffer.from([0x16, 0x03, 0x01]))))
    await expect.poll(() => silent.filter(({ socket }) => !socket.closed).length, patience).toBeLessThanOrEqual(64)
    expect((await getSecurely('/healthz')).status).toBe(200)
    for (const socket of silent) socket[Symbol.dispose]()
    for (const bytes of [[0x16, 0x03, 0x01, 0, 4, 1, 2, 3, 4], [0], [0xff, 0xff], [0x80, 0x2e, 1]]) {
      using rude = await openSocket(hub.port)
      await rude.write(Buffer.from(bytes))
      rude.socket.end()
      await rude.closed
    }
    expect((await getSecurely('/healthz')).status).toBe(200)
    expect(faultsIn(hub.log())).toEqual([])
  })

  test('a token on a TLS connection keeps it open beyond the limit for sockets without one', async () => {
    const socket = connect({ host: '127.0.0.1', port: hub.port, ca: authority })
    await once(socket, 'secureConnect')
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    const ask = () => socket.write(`PUT /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${hub.token}\r\n\r\n`)
    ask()
    await expect.poll(() => text.match(/405/g)?.length, patience).toBe(1)
    const silent: RawSocket[] = []
    for (let count = 0; count < 100; count++) silent.push(await openSocket(hub.port))
    await expect.poll(() => silent.filter((each) => !each.socket.closed).length, patience).toBeLessThanOrEqual(64)
    ask()
    await expect.poll(() => text.match(/405/g)?.length, patience).toBe(2)
    for (const each of silent) each[Symbol.dispose]()
    socket.destroy()
  })

  test('serves a renewed certificate without a restart, and the old one while the new one is broken', async () => {
    const next = await makeCertificate(openssl.path, directory, 'next')
    const { pid } = hub.process
    await writeFile(`${files.cert}.new`, 'broken')
    await rename(`${files.cert}.new`, files.cert)
    await expect.poll(() => hub.log(), patience).toContain('the new certificate cannot be used')
    expect((await getSecurely('/healthz')).from).toBe('hub')
    await copyFile(next.key, files.key)
    await copyFile(next.cert, `${files.cert}.new`)
    await rename(`${files.cert}.new`, files.cert)
    const renewed = await readAuthority(next)
    await expect
      .poll(async () => (await getSecurely('/healthz', authority + renewed)).from, { ...patience, interval: 500 })
      .toBe('next')
    expect(hub.process.pid).toBe(pid)
    expect(hub.log()).not.toContain('PRIVATE KEY')
  })

  test('stops without waiting for connections that say nothing', async () => {
    using silent = await openSocket(hub.port)
    using half = await openSocket(hub.port)
    await half.write(Buffer.from([0x16]))
    expect(await hub.end('SIGTERM')).toEqual({ code: 0, signal: null })
    await Promise.all([silent.closed, half.closed])
  })
})

openssl.describe('a hub whose certificate cannot be used', () => {
  test('does not start, and says why', async () => {
    const directory = temporaryDirectory()
    const [one, other] = [
      await makeCertificate(openssl.path, directory, 'one'),
      await makeCertificate(openssl.path, directory, 'other'),
    ]
    const env = { SIGNALBOX_TLS_CERT: one.cert, SIGNALBOX_TLS_KEY: other.key }
    await expect(startOwnHub({ program: shippedHub, env })).rejects.toThrow(/one\.pem.*other\.key.*do not fit together/)
    await expect(
      startOwnHub({ program: shippedHub, env: { ...env, SIGNALBOX_TLS_KEY: join(directory, 'none.key') } }),
    ).rejects.toThrow(/cannot read the key .*none\.key/)
  })
})

function nameOf({ subject }: PeerCertificate): string {
  return String(subject.CN)
}

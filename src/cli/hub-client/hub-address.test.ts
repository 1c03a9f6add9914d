import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import { loadConfig } from '../../config/config.ts'
import type { Environment } from '../../config/config.ts'
import { findHub } from './hub-address.ts'

describe('the endpoint', () => {
  test('comes from the flag, then SIGNALBOX_URL, then the running hub, then the configuration', () => {
    const home = temporaryDirectory()
    const env = { SIGNALBOX_PORT: '7777' }
    expect(find(home, env).url).toBe('http://127.0.0.1:7777/mcp')
    writeHubFile(home, { url: 'http://127.0.0.1:4444', pid: process.pid })
    expect(find(home, env).url).toBe('http://127.0.0.1:4444/mcp')
    expect(find(home, { ...env, SIGNALBOX_URL: 'http://hub:1/mcp' }).url).toBe('http://hub:1/mcp')
    expect(find(home, { ...env, SIGNALBOX_URL: 'http://hub:1/mcp' }, { url: 'http://flag:2/mcp' }).url).toBe(
      'http://flag:2/mcp',
    )
  })

  test('does not come from the file that a killed hub left behind', () => {
    const home = temporaryDirectory()
    const { pid } = spawnSync(process.execPath, ['--version'])
    writeHubFile(home, { url: 'http://127.0.0.1:4444/mcp', pid })
    expect(find(home).url).toBe('http://127.0.0.1:7420/mcp')
  })

  test('does not come from an incomplete file', () => {
    const home = temporaryDirectory()
    writeFileSync(join(home, 'hub.json'), '{"url": "http://127.0.')
    expect(find(home).url).toBe('http://127.0.0.1:7420/mcp')
  })

  test.each([
    ['0.0.0.0', 'http://127.0.0.1:7420/mcp'],
    ['::', 'http://[::1]:7420/mcp'],
    ['::1', 'http://[::1]:7420/mcp'],
    ['hub.example.org', 'http://hub.example.org:7420/mcp'],
  ])('for a hub on %s is %s', (host, url) => {
    expect(find(temporaryDirectory(), { SIGNALBOX_HOST: host }).url).toBe(url)
  })

  test('is https if the hub has a certificate', () => {
    expect(find(temporaryDirectory(), { SIGNALBOX_TLS_CERT: '/etc/ssl/hub.pem' }).url).toBe(
      'https://127.0.0.1:7420/mcp',
    )
  })

  test('is a loopback address if the hub listens on all addresses', () => {
    const home = temporaryDirectory()
    writeHubFile(home, { url: 'http://0.0.0.0:4444/mcp', pid: process.pid })
    expect(find(home).url).toBe('http://127.0.0.1:4444/mcp')
  })

  test('is at /mcp, unless the URL has another path', () => {
    const home = temporaryDirectory()
    expect(find(home, {}, { url: 'http://hub:1/#token=secret' }).url).toBe('http://hub:1/mcp')
    expect(find(home, {}, { url: 'https://proxy/hub/mcp/' }).url).toBe('https://proxy/hub/mcp/')
  })

  test('is unreachable when the port is "any" and no hub runs', () => {
    expect(() => find(temporaryDirectory(), { SIGNALBOX_PORT: '0' })).toThrow(
      expect.objectContaining({ exit: 'unreachable' }),
    )
  })
})

describe('the socket', () => {
  const url = 'http://elsewhere:7420/mcp'

  test('is the one in the data directory, unless the URL names another hub', () => {
    const home = temporaryDirectory()
    const socket = join(home, 'run', 'hub.sock')
    expect(find(home)).toMatchObject({ socket })
    expect(find(home, { SIGNALBOX_TOKEN: 'of-env' })).toMatchObject({ socket })
    expect(find(home, {}, { url: 'http://localhost:7420/' })).toMatchObject({ socket })
    writeHubFile(home, { url: 'http://127.0.0.1:4444', pid: process.pid })
    expect(find(home, {}, { url: 'http://127.0.0.1:4444/mcp?toolsets=all' })).toMatchObject({ socket })
    for (const other of [url, 'https://localhost:4444/mcp', 'http://127.0.0.1:4445/mcp']) {
      expect(find(home, {}, { url: other })).not.toHaveProperty('socket')
    }
  })

  test('is not used if both a URL and a token are given', () => {
    const home = temporaryDirectory()
    const named = { SIGNALBOX_URL: 'http://127.0.0.1:7420/mcp', SIGNALBOX_TOKEN: 'of-session' }
    expect(find(home, named)).toEqual({ url: named.SIGNALBOX_URL, token: 'of-session', tokenFrom: 'SIGNALBOX_TOKEN' })
  })

  test('is the only way to send the token of the token file', () => {
    const home = temporaryDirectory()
    writeFileSync(join(home, 'token'), 'of-home')
    expect(find(home)).toMatchObject({ token: 'of-home' })
    expect(find(home, {}, { url })).not.toHaveProperty('token')
    expect(find(home, { SIGNALBOX_URL: url })).not.toHaveProperty('token')
  })
})

describe('the token', () => {
  test('comes from --token-file, then SIGNALBOX_TOKEN, then the token file of the data directory', () => {
    const home = temporaryDirectory()
    writeFileSync(join(home, 'token'), 'of-home\n')
    writeFileSync(join(home, 'other'), '  of-flag\n')
    expect(find(home)).toMatchObject({ token: 'of-home', tokenFrom: join(home, 'token') })
    expect(find(home, { SIGNALBOX_TOKEN: 'of-env' })).toMatchObject({ token: 'of-env', tokenFrom: 'SIGNALBOX_TOKEN' })
    const flagged = find(home, { SIGNALBOX_TOKEN: 'of-env' }, { tokenFile: join(home, 'other') })
    expect(flagged).toMatchObject({ token: 'of-flag', tokenFrom: join(home, 'other') })
  })

  test('may be missing: the hub decides whether that matters', () => {
    const home = temporaryDirectory()
    expect(find(home)).not.toHaveProperty('token')
    expect(find(home).tokenFrom).toBe(join(home, 'token'))
  })

  test('must be in the file that --token-file names', () => {
    const home = temporaryDirectory()
    expect(() => find(home, {}, { tokenFile: join(home, 'nowhere') })).toThrow(
      expect.objectContaining({ exit: 'unauthorized', message: expect.stringContaining('nowhere') }),
    )
  })
})

function find(home: string, env: Environment = {}, given: { url?: string; tokenFile?: string } = {}) {
  return findHub(loadConfig({ env: { SIGNALBOX_HOME: home, ...env } }).config, given)
}

function writeHubFile(home: string, { url, pid }: { url: string; pid: number }) {
  writeFileSync(
    join(home, 'hub.json'),
    JSON.stringify({ url, pid, version: '0.1.0', started_at: '2026-01-01T00:00:00Z' }),
  )
}

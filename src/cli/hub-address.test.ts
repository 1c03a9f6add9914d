import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { loadConfig } from '../config/config.ts'
import type { Environment } from '../config/config.ts'
import { findHub } from './hub-address.ts'

describe('the endpoint is', () => {
  test('that of the flag, before SIGNALBOX_URL, before the running hub, before the configured address', () => {
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

  test('not that of a hub that was killed and left its file behind', () => {
    const home = temporaryDirectory()
    const { pid } = spawnSync(process.execPath, ['--version'])
    writeHubFile(home, { url: 'http://127.0.0.1:4444/mcp', pid })
    expect(find(home).url).toBe('http://127.0.0.1:7420/mcp')
  })

  test('not that of a file that is half written', () => {
    const home = temporaryDirectory()
    writeFileSync(join(home, 'hub.json'), '{"url": "http://127.0.')
    expect(find(home).url).toBe('http://127.0.0.1:7420/mcp')
  })

  test.each([
    ['0.0.0.0', 'http://127.0.0.1:7420/mcp'],
    ['::', 'http://[::1]:7420/mcp'],
    ['::1', 'http://[::1]:7420/mcp'],
    ['hub.example.org', 'http://hub.example.org:7420/mcp'],
  ])('for a hub on %s %s', (host, url) => {
    expect(find(temporaryDirectory(), { SIGNALBOX_HOST: host }).url).toBe(url)
  })

  test('one that can be dialled, where the hub says that it listens everywhere', () => {
    const home = temporaryDirectory()
    writeHubFile(home, { url: 'http://0.0.0.0:4444/mcp', pid: process.pid })
    expect(find(home).url).toBe('http://127.0.0.1:4444/mcp')
  })

  test('at /mcp, unless another path is named', () => {
    const home = temporaryDirectory()
    expect(find(home, {}, { url: 'http://hub:1/#token=secret' }).url).toBe('http://hub:1/mcp')
    expect(find(home, {}, { url: 'https://proxy/hub/mcp/' }).url).toBe('https://proxy/hub/mcp/')
  })

  test('unknown when the port is "any" and no hub runs, which is no hub at all', () => {
    expect(() => find(temporaryDirectory(), { SIGNALBOX_PORT: '0' })).toThrow(
      expect.objectContaining({ exit: 'unreachable' }),
    )
  })
})

describe('the token is', () => {
  test('that of --token-file, before SIGNALBOX_TOKEN, before the token file of the data directory', () => {
    const home = temporaryDirectory()
    writeFileSync(join(home, 'token'), 'of-home\n')
    writeFileSync(join(home, 'other'), '  of-flag\n')
    expect(find(home)).toMatchObject({ token: 'of-home', tokenFrom: join(home, 'token') })
    expect(find(home, { SIGNALBOX_TOKEN: 'of-env' })).toMatchObject({ token: 'of-env', tokenFrom: 'SIGNALBOX_TOKEN' })
    const flagged = find(home, { SIGNALBOX_TOKEN: 'of-env' }, { tokenFile: join(home, 'other') })
    expect(flagged).toMatchObject({ token: 'of-flag', tokenFrom: join(home, 'other') })
  })

  test('none when there is none: whether that matters is for the hub to say', () => {
    const home = temporaryDirectory()
    expect(find(home)).not.toHaveProperty('token')
    expect(find(home).tokenFrom).toBe(join(home, 'token'))
  })

  test('an error when the named file has none', () => {
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

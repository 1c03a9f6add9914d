import { describe, expect, test } from 'vitest'
import { runInProcess } from '../../../test/fixtures/run-cli.ts'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import { HubError } from '../../base/hub-error.ts'
import type { LoadedConfig } from '../../config/config.ts'

describe('signalbox up', () => {
  test('prints the address of the hub as one line, and exits when the hub has stopped', async () => {
    const { code, out, err } = await up([])
    expect(out).toBe('Signalbox is ready: http://127.0.0.1:7420/#token=abc')
    expect(err).toBe('')
    expect(code).toBe(0)
  })

  test('passes its flags to the hub', async () => {
    const { started } = await up(['--port', '0', '--log-level', 'debug', '--allowed-hosts', 'a.example.org,b'])
    expect(started?.config).toMatchObject({ port: 0, logLevel: 'debug', allowedHosts: ['a.example.org', 'b'] })
  })

  test.each(['0.0.0.0', '::', '192.168.1.5', 'hub.example.org'])('warns when it listens on %s', async (host) => {
    const { code, err } = await up(['--host', host])
    expect(code).toBe(0)
    expect(err).toContain(`signalbox: warning: ${host} is not a loopback address`)
  })

  test.each(['127.0.0.1', '127.8.8.8', '::1', 'localhost'])('does not warn when it listens on %s', async (host) => {
    expect((await up(['--host', host])).err).toBe('')
  })

  test('does not warn when it has a certificate', async () => {
    const env = { SIGNALBOX_TLS_CERT: '/etc/ssl/hub.pem', SIGNALBOX_TLS_KEY: '/etc/ssl/hub.key' }
    expect((await up(['--host', '0.0.0.0'], env)).err).toBe('')
  })

  test('exits with 7 when another hub uses the data directory', async () => {
    const { code, out, err } = await runInProcess(['up'], {
      env: { SIGNALBOX_HOME: temporaryDirectory() },
      startHub: () =>
        Promise.reject(new HubError('conflict', 'The data directory is held by pid 1. Stop that hub first.')),
    })
    expect({ code, out, err }).toEqual({
      code: 7,
      out: '',
      err: 'signalbox: The data directory is held by pid 1. Stop that hub first.',
    })
  })
})

async function up(flags: readonly string[], env: Readonly<Record<string, string>> = {}) {
  let started: LoadedConfig | undefined
  const outcome = await runInProcess(['up', ...flags], {
    env: { SIGNALBOX_HOME: temporaryDirectory(), ...env },
    startHub: async (loaded) => {
      started = loaded
      return {
        url: 'http://127.0.0.1:7420/mcp',
        loginUrl: 'http://127.0.0.1:7420/#token=abc',
        stop: () => Promise.resolve(),
        stopped: Promise.resolve(),
      }
    },
  })
  return { ...outcome, started }
}

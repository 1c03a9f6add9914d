import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HubError } from '../base/hub-error.ts'
import { loadConfig, settings } from './config.ts'
import type { ConfigFlags, Environment, LoadedConfig } from './config.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'signalbox-config-'))
})
afterEach(() => {
  rmSync(home, { recursive: true, force: true })
})

describe('the source of a value', () => {
  test('a flag beats the environment, the environment beats config.yaml, and that beats the default', () => {
    expect(sourceOf('port', load({}))).toEqual({ key: 'port', value: 7420, from: 'default' })

    const inFile = load({ file: '# mine\nport: 1111\n' })
    expect(inFile.config.port).toBe(1111)
    expect(sourceOf('port', inFile)).toEqual({ key: 'port', value: 1111, from: 'config.yaml:2' })

    const inEnvironment = load({ file: 'port: 1111', env: { SIGNALBOX_PORT: '2222' } })
    expect(sourceOf('port', inEnvironment)).toMatchObject({ value: 2222, from: 'environment SIGNALBOX_PORT' })

    const byFlag = load({ file: 'port: 1111', env: { SIGNALBOX_PORT: '2222' }, flags: { port: '3333' } })
    expect(sourceOf('port', byFlag)).toMatchObject({ value: 3333, from: 'flag --port' })
  })

  test('a flag or the environment can name the data directory, and "~" is the home of the user', () => {
    expect(loadConfig({ env: {} }).config.home).toBe(join(homedir(), '.signalbox'))
    expect(loadConfig({ env: { SIGNALBOX_HOME: '~/elsewhere' } }).config.home).toBe(join(homedir(), 'elsewhere'))
    expect(loadConfig({ env: { SIGNALBOX_HOME: '/a' }, flags: { home: 'b' } }).config.home).toBe(
      join(process.cwd(), 'b'),
    )
  })

  test('an empty variable counts as absent', () => {
    expect(sourceOf('port', load({ env: { SIGNALBOX_PORT: '' } }))?.from).toBe('default')
  })

  test('an empty secret is an error, because the hub would otherwise use the wrong database', () => {
    expect(faultOf({ env: { DATABASE_URL: '' } })).toMatch(/^DATABASE_URL is empty\. .* or remove it\.$/)
  })

  test('a missing or empty config.yaml means no settings', () => {
    expect(load({}).config.port).toBe(7420)
    expect(load({ file: '' }).config.port).toBe(7420)
    expect(load({ file: '# nothing yet\n' }).config.port).toBe(7420)
  })

  test('config.yaml refuses a setting that is not allowed there, and the message says where it is allowed', () => {
    const fault = faultOf({ file: 'home: /tmp\ntoken: abc\n' })
    expect(fault).toContain(`${home}/config.yaml:1: home is not allowed here`)
    expect(fault).toContain('SIGNALBOX_HOME')
    expect(fault).toContain(`${home}/config.yaml:2: token is not allowed here`)
  })
})

describe('setting names', () => {
  test('the environment accepts every name of the API page', () => {
    const env = {
      SIGNALBOX_HOST: 'localhost',
      SIGNALBOX_PORT: '0',
      SIGNALBOX_TLS_CERT: '/etc/ssl/hub.pem',
      SIGNALBOX_TLS_KEY: '/etc/ssl/hub.key',
      SIGNALBOX_DEFAULT_TEMPLATE: 'claude',
      SIGNALBOX_SESSION_FOLLOW_BASE: 'https://hub.example.org',
      SIGNALBOX_SESSION_FOLLOW_PATH: '/t/',
      SIGNALBOX_REPOSITORY_MCP_PORT: 'off',
      SIGNALBOX_MCP_SOCKET: '/run/signalbox.sock',
      SIGNALBOX_MCP_SOCKET_NAME: 'mine',
      SIGNALBOX_APPROVAL_HOLD: '5',
      SIGNALBOX_APPROVAL_EXPIRY: '90',
      SIGNALBOX_JOB_CONCURRENCY: '2',
      SIGNALBOX_HOP_LIMIT: '1',
      SIGNALBOX_EVENT_SAMPLING: '0.25',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/traces',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=abc',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'tenant=me',
      OTEL_SERVICE_NAME: 'my-hub',
      OTEL_SDK_DISABLED: 'true',
      SIGNALBOX_TOKEN: 'sb_human_x',
      SIGNALBOX_URL: 'http://127.0.0.1:7420/mcp',
      DATABASE_URL: 'postgres://me:pw@db/signalbox',
      SIGNALBOX_REPOSITORY_PATH_MAP: '/home/me/src:/repositories, /srv/code/:/code',
      SIGNALBOX_REPOSITORY_MODEL: 'o9',
      SIGNALBOX_REPOSITORY_EFFORT: 'low',
      SIGNALBOX_REPOSITORY_SANDBOX: 'workspace-write',
      SIGNALBOX_REPOSITORY_APPROVAL: 'on-failure',
      SIGNALBOX_REPOSITORY_NETWORK: 'on',
      SIGNALBOX_REPOSITORY_WEB_SEARCH: 'true',
    }
    const { config, warnings } = load({ env })
    expect(warnings).toEqual([])
    expect(config).toMatchObject({
      host: 'localhost',
      port: 0,
      tlsCert: '/etc/ssl/hub.pem',
      tlsKey: '/etc/ssl/hub.key',
      defaultTemplate: 'claude',
      sessionFollowBase: 'https://hub.example.org',
      sessionFollowPath: '/t/',
      repositoryMcpPort: 'off',
      mcpSocket: '/run/signalbox.sock',
      mcpSocketName: 'mine',
      approvalHoldSeconds: 5,
      approvalExpirySeconds: 90,
      jobConcurrency: 2,
      hopLimit: 1,
      eventSampling: 0.25,
      otlpEndpoint: 'http://127.0.0.1:4318',
      otlpTracesEndpoint: 'http://127.0.0.1:4318/traces',
      otlpHeaders: 'api-key=abc',
      otlpTracesHeaders: 'tenant=me',
      otelServiceName: 'my-hub',
      otelSdkDisabled: true,
      token: 'sb_human_x',
      url: 'http://127.0.0.1:7420/mcp',
      databaseUrl: 'postgres://me:pw@db/signalbox',
      repositoryPathMap: [
        { host: '/home/me/src', container: '/repositories' },
        { host: '/srv/code', container: '/code' },
      ],
      repositoryModel: 'o9',
      repositoryEffort: 'low',
      repositorySandbox: 'workspace-write',
      repositoryApproval: 'on-failure',
      repositoryNetwork: true,
      repositoryWebSearch: true,
    })
  })

  test('a name means the same in config.yaml as in the environment', () => {
    const { config } = load({
      file: [
        'host: 0.0.0.0',
        'repository_mcp_port: 0',
        'repository_network: on',
        'repository_web_search: true',
        'allowed_hosts: [hub.example.org, "other:8080"]',
        'allowed_origins: https://a.example.org, https://b.example.org',
        'max_body_bytes: 2048',
        'drain_grace_seconds: 0.5',
      ].join('\n'),
    })
    expect(config).toMatchObject({
      host: '0.0.0.0',
      repositoryMcpPort: 0,
      repositoryNetwork: true,
      repositoryWebSearch: true,
      allowedHosts: ['hub.example.org', 'other:8080'],
      allowedOrigins: ['https://a.example.org', 'https://b.example.org'],
      maxBodyBytes: 2048,
      drainGraceSeconds: 0.5,
    })
  })

  test('no two settings share a key, a variable or a flag', () => {
    for (const names of [
      settings.map(({ key }) => key),
      settings.map(({ environment }) => environment),
      settings.flatMap(({ flag }) => flag ?? []),
    ]) {
      expect(new Set(names).size).toBe(names.length)
    }
  })

  test('no secret is a flag, because flags are visible in the process list', () => {
    expect(settings.filter(({ secret, flag }) => secret && flag !== undefined)).toEqual([])
  })
})

describe('a wrong configuration', () => {
  test('an unknown key of config.yaml is an error with its line and the nearest right key', () => {
    expect(faultOf({ file: 'host: localhost\nprot: 1\n' })).toBe(
      `${home}/config.yaml:2: there is no setting "prot". Did you mean "port"?`,
    )
  })

  test('an unknown key that resembles no setting is an error that says where the settings are listed', () => {
    expect(faultOf({ file: 'xylophone: 1\n' })).toContain('"signalbox config" lists all settings')
  })

  test('an unknown SIGNALBOX variable causes a warning with the nearest name, and other variables are ignored', () => {
    const { warnings } = load({ env: { SIGNALBOX_PROT: '1', PROT: '1', DATABASE_URI: 'x' } })
    expect(warnings).toEqual([
      'Signalbox does not know the environment variable SIGNALBOX_PROT. Did you mean SIGNALBOX_PORT?',
    ])
  })

  test('an invalid value is an error with its place, the value and the allowed values', () => {
    expect(faultOf({ env: { SIGNALBOX_PORT: '70000' } })).toMatch(
      /^SIGNALBOX_PORT is "70000", but it takes a whole number from 0 to 65535/,
    )
    expect(faultOf({ flags: { host: 'http://x' } })).toMatch(
      /^The flag --host is "http:\/\/x", but it takes an IP address or a host name/,
    )
    expect(faultOf({ file: '\nlog_level: loud' })).toBe(
      `${home}/config.yaml:2, log_level, is "loud", but it takes \`debug\`, \`info\`, \`warn\` or \`error\`.`,
    )
    expect(faultOf({ file: 'port:' })).toContain(`${home}/config.yaml:1, port, is empty`)
    expect(faultOf({ file: 'allowed_origins: [https://x.org/path]' })).toContain('without a path')
    expect(faultOf({ env: { SIGNALBOX_MCP_SOCKET: 'here.sock' } })).toContain('an absolute path')
  })

  test('one error lists all problems', () => {
    const fault = faultOf({ file: 'prot: 1', env: { SIGNALBOX_PORT: 'x', SIGNALBOX_HOP_LIMIT: '0' } })
    expect(fault.split('\n')).toHaveLength(3)
  })

  test('the error does not show an invalid secret', () => {
    const fault = faultOf({ env: { DATABASE_URL: 'mysql://me:hunter2@db/x' } })
    expect(fault).toContain('DATABASE_URL has another value')
    expect(fault).toContain('postgres://')
    expect(fault).not.toContain('hunter2')
  })

  test('a config.yaml that cannot be read is an error and does not count as missing', () => {
    symlinkSync(join(home, 'config.yaml'), join(home, 'config.yaml'))
    expect(faultOf({})).toMatch(/cannot read .*config.yaml: too many symbolic links/)
  })

  test('a config.yaml that is not YAML is an error with file, line and reason', () => {
    expect(faultOf({ file: 'port: 1\nhost: "open\n' })).toMatch(new RegExp(`^${home}/config.yaml:[23] is not YAML: .+`))
    expect(faultOf({ file: 'port: 1\nport: 2\n' })).toMatch(/config.yaml:2 is not YAML: .*unique/)
    expect(faultOf({ file: '- port\n' })).toContain('Write one "key: value" on each line')
  })
})

test('the configuration holds secrets, but its sources and warnings do not show them', () => {
  const loaded = load({ env: { SIGNALBOX_TOKEN: 'sb_human_x', DATABASE_URL: 'postgres://me:hunter2@db/x' } })
  expect(loaded.config.token).toBe('sb_human_x')
  expect(sourceOf('token', loaded)).toMatchObject({ value: '[redacted]', from: 'environment SIGNALBOX_TOKEN' })
  expect(JSON.stringify([loaded.sources, loaded.warnings])).not.toMatch(/sb_human_x|hunter2/)
})

test('the configuration cannot be changed after it is loaded', () => {
  const { config } = load({})
  expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError)
})

function load(given: { file?: string; env?: Environment; flags?: ConfigFlags }) {
  if (given.file !== undefined) writeFileSync(join(home, 'config.yaml'), given.file)
  return loadConfig({ flags: given.flags ?? {}, env: { SIGNALBOX_HOME: home, ...given.env } })
}

function sourceOf(key: string, { sources }: LoadedConfig) {
  return sources.find((source) => source.key === key)
}

function faultOf(given: Parameters<typeof load>[0]): string {
  try {
    load(given)
  } catch (error) {
    if (error instanceof HubError && error.code === 'invalid') return error.message
    throw error
  }
  throw new Error('the configuration was accepted')
}

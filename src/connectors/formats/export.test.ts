import fc from 'fast-check'
import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import type { Connector } from '../../api/connector.ts'
import { checkConnector } from '../check-connector.ts'
import { planImport } from '../import-connectors.ts'
import { exportConnectors, exportFormats } from './export.ts'
import { readConnectors } from './read.ts'

const files = checkConnector({
  name: 'files',
  transport: 'stdio',
  cmd: 'npx',
  args: ['-y', 'files'],
  env_keys: ['FILES_TOKEN'],
  options: { env: { MODE: 'fast' }, autoApprove: ['read'], nested: { a: [1, { b: true }] } },
})
const web = checkConnector({
  name: 'web',
  transport: 'http',
  base_url: 'https://example.org/mcp',
  headers: { Authorization: 'Bearer ${WEB_TOKEN}', 'X-Key': '${WEB_KEY}', 'X-Region': 'eu' },
  options: { startup: 'lazy' },
})

const readBack = (text: string) => planImport(readConnectors(text), new Map(), {}).add

test.each(exportFormats)(
  'an export for %s is read back unchanged, with the keys that only other programs know',
  (format) => {
    const { text, warnings } = exportConnectors([files, web], format)
    expect(readBack(text)).toEqual([files, web])
    expect(warnings).toEqual([])
  },
)

test.each(exportFormats)('an export for %s keeps the tool filter', (format) => {
  const filtered = { ...files, options: { enabled_tools: ['read'], disabled_tools: [] } }
  const { text, warnings } = exportConnectors([filtered], format)
  expect(readBack(text)).toEqual([filtered])
  expect(warnings).toEqual(
    format === 'claude' ? ['"files": Claude does not filter tools, so it offers all of them.'] : [],
  )
})

test('an export for Codex warns about patterns, which Codex takes for names', () => {
  const filtered = { ...files, options: { disabled_tools: ['delete_*'] } }
  expect(exportConnectors([filtered], 'codex').warnings).toEqual([
    '"files": Codex takes the * in the names of tools literally; write the names out.',
  ])
})

test('an export for Claude has the fields of Claude', () => {
  expect(JSON.parse(exportConnectors([files, web], 'claude').text)).toEqual({
    mcpServers: {
      files: {
        type: 'stdio',
        command: 'npx',
        args: ['-y', 'files'],
        env: { MODE: 'fast', FILES_TOKEN: '${FILES_TOKEN}' },
        autoApprove: ['read'],
        nested: { a: [1, { b: true }] },
      },
      web: { type: 'http', url: 'https://example.org/mcp', headers: web.headers, startup: 'lazy' },
    },
  })
})

test('an export for Codex has the fields of Codex, and warns about what Codex cannot do', () => {
  const old = checkConnector({ name: 'old', transport: 'sse', base_url: 'https://example.org/sse' })
  const inner = { ...files, name: 'inner', args: ['--dir=${DIR}'], options: { call_ms: 1_500 }, enabled: false }
  const { text, warnings } = exportConnectors([web, old, inner], 'codex')
  expect(parse(text)).toEqual({
    mcp_servers: {
      web: {
        url: 'https://example.org/mcp',
        bearer_token_env_var: 'WEB_TOKEN',
        env_http_headers: { 'X-Key': 'WEB_KEY' },
        http_headers: { 'X-Region': 'eu' },
        startup: 'lazy',
      },
      inner: {
        command: 'npx',
        args: ['--dir=${DIR}'],
        env_vars: ['FILES_TOKEN'],
        enabled: false,
        tool_timeout_sec: 1.5,
      },
    },
  })
  expect(warnings).toEqual([
    '"old" is left out: Codex has no SSE.',
    '"inner": Codex does not fill in ${…} inside of a text.',
  ])
})

test('any connector survives an export and import in our own format', () => {
  const text = fc.string({ unit: fc.constantFrom(...Array.from('abc XYZ.,é😀{}"\'\\n-')), maxLength: 12 })
  const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/)
  const options = fc.record(
    {
      env: fc.dictionary(fc.stringMatching(/^[A-Z]{1,6}X$/), text),
      custom: fc.jsonValue(),
      cwd: text,
      shared: fc.constant(false),
      call_ms: fc.integer({ min: 100, max: 10_000 }),
    },
    { requiredKeys: [] },
  )
  const common = {
    name,
    options,
    strict: fc.boolean(),
    enabled: fc.boolean(),
    env_keys: fc.uniqueArray(fc.stringMatching(/^[A-Z]{2,6}X$/)),
  }
  const stdio = fc.record({
    ...common,
    transport: fc.constant('stdio'),
    cmd: fc.constant('npx'),
    args: fc.array(text, { minLength: 1 }),
  })
  const http = fc.record({
    ...common,
    transport: fc.constantFrom('http', 'sse'),
    base_url: fc.webUrl(),
    headers: fc.dictionary(fc.stringMatching(/^X-[A-Z]{1,5}$/), text, { minKeys: 1 }),
  })
  fc.assert(
    fc.property(fc.oneof(stdio, http), (input) => {
      let connector: Connector
      try {
        connector = checkConnector(JSON.parse(JSON.stringify(input)))
      } catch {
        return fc.pre(false)
      }
      // Leave out empty maps, which are not exported, and "__proto__", which no program uses as a name.
      fc.pre(Object.keys(input.options.env ?? { a: 1 }).length > 0 && !JSON.stringify(input).includes('__proto__'))
      expect(readBack(exportConnectors([connector], 'json').text)).toEqual([connector])
    }),
    { numRuns: 100 },
  )
})

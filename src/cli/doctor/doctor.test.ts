import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { takePort } from '../../../test/fixtures/ports.ts'
import { runInProcess } from '../../../test/fixtures/run-cli.ts'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'

test('finds no problems in a fresh installation', async () => {
  const { code, out } = await runInProcess(['doctor'], { env: environment() })
  expect(out).toContain('No problems found.')
  expect(out).not.toContain('✗')
  expect(code).toBe(0)
  for (const subject of ['runtime', 'configuration', 'data directory', 'ports', 'store', 'service unit', 'agents']) {
    expect(out).toMatch(new RegExp(`^[✓·] ${subject}: `, 'm'))
  }
})

test('marks a problem, says how to fix it, and exits with 6', async () => {
  const env = environment()
  chmodSync(env.SIGNALBOX_HOME, 0o755)
  const { code, out } = await runInProcess(['doctor'], { env })
  expect(code).toBe(6)
  expect(out).toMatch(/^✗ data directory: .* has mode 0755 instead of 0700\n {4}fix: run "chmod 700/m)
  expect(out).toContain('1 problem found')
})

test('reports a configuration that does not load, and makes the checks that do not need it', async () => {
  const env = environment()
  writeFileSync(join(env.SIGNALBOX_HOME, 'config.yaml'), 'prot: 1\n')
  const { code, out } = await runInProcess(['doctor', '--json'], { env })
  expect(code).toBe(6)
  const { findings } = JSON.parse(out)
  expect(findings).toContainEqual(
    expect.objectContaining({ is: 'broken', says: expect.stringContaining('config.yaml:1') }),
  )
  expect(findings).toContainEqual(
    expect.objectContaining({ says: 'not checked, because the configuration does not load' }),
  )
  expect(findings).toContainEqual(expect.objectContaining({ about: 'agents' }))
})

test('makes the other checks when one of them fails', async () => {
  const env = environment()
  mkdirSync(join(env.SIGNALBOX_HOME, 'hub.json'))
  const { code, out } = await runInProcess(['doctor'], { env: { ...env, SIGNALBOX_PORT: String(await takePort()) } })
  expect(code).toBe(6)
  expect(out).toMatch(/^✗ ports: the check failed: .*hub\.json/m)
  expect(out).toMatch(/^· store: /m)
})

test('reports the locale of sessions when none is set', async () => {
  const env = environment()
  const bare = await runInProcess(['doctor'], { env: { ...env, LANG: '', LC_ALL: '', LC_CTYPE: '' } })
  expect(bare.out).toMatch(/^· locale: LANG, LC_ALL and LC_CTYPE are not set here: .* get LANG=C\.UTF-8$/m)
  const { out } = await runInProcess(['doctor'], { env: { ...env, LANG: 'de_DE.UTF-8', LC_ALL: '', LC_CTYPE: '' } })
  expect(out).toMatch(/^✓ locale: de_DE\.UTF-8$/m)
})

test('says what the hub does not contain', async () => {
  const { out } = await runInProcess(['doctor'], { env: environment() })
  expect(out).toMatch(/^· containment: .*"signalbox ls" shows as governed.*can read your files/m)
})

test('shows no secret', async () => {
  const env = { ...environment(), DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/x', SIGNALBOX_TOKEN: 'open-sesame' }
  const { code, out } = await runInProcess(['doctor'], { env })
  expect(code).toBe(6)
  expect(out).not.toMatch(/hunter2|open-sesame/)
})

/** A machine with an empty data directory. */
function environment() {
  return {
    HOME: temporaryDirectory(),
    PATH: temporaryDirectory(),
    SIGNALBOX_HOME: temporaryDirectory(),
    SIGNALBOX_PORT: '0',
    SIGNALBOX_REPOSITORY_MCP_PORT: 'off',
  }
}

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { takePort } from '../../../test/fixtures/ports.ts'
import { runInProcess } from '../../../test/fixtures/run-cli.ts'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'

test('a fresh installation has nothing to mend', async () => {
  const { code, out } = await runInProcess(['doctor'], { env: environment() })
  expect(out).toContain('Nothing to mend.')
  expect(out).not.toContain('✗')
  expect(code).toBe(0)
  for (const subject of ['runtime', 'configuration', 'data directory', 'ports', 'store', 'service unit', 'agents']) {
    expect(out).toMatch(new RegExp(`^[✓·] ${subject}: `, 'm'))
  }
})

test('what is broken is marked, with the way to mend it, and the exit code is 6', async () => {
  const env = environment()
  chmodSync(env.SIGNALBOX_HOME, 0o755)
  const { code, out } = await runInProcess(['doctor'], { env })
  expect(code).toBe(6)
  expect(out).toMatch(/^✗ data directory: .* has mode 0755 instead of 0700\n {4}mend: run "chmod 700/m)
  expect(out).toContain('1 thing to mend')
})

test('a configuration that does not load is broken, and the rest is examined as far as it can be', async () => {
  const env = environment()
  writeFileSync(join(env.SIGNALBOX_HOME, 'config.yaml'), 'prot: 1\n')
  const { code, out } = await runInProcess(['doctor', '--json'], { env })
  expect(code).toBe(6)
  const { findings } = JSON.parse(out)
  expect(findings).toContainEqual(
    expect.objectContaining({ is: 'broken', says: expect.stringContaining('config.yaml:1') }),
  )
  expect(findings).toContainEqual(expect.objectContaining({ says: 'not examined while the configuration is wrong' }))
  expect(findings).toContainEqual(expect.objectContaining({ about: 'agents' }))
})

test('a check that trips over what it looks at does not take the others with it', async () => {
  const env = environment()
  mkdirSync(join(env.SIGNALBOX_HOME, 'hub.json'))
  const { code, out } = await runInProcess(['doctor'], { env: { ...env, SIGNALBOX_PORT: String(await takePort()) } })
  expect(code).toBe(6)
  expect(out).toMatch(/^✗ ports: could not be examined: .*hub\.json/m)
  expect(out).toMatch(/^· store: /m)
})

test('it says what is contained and what is not', async () => {
  const { out } = await runInProcess(['doctor'], { env: environment() })
  expect(out).toMatch(/^· containment: .*can read your files.*do not pass the hub/m)
})

test('it shows no secret', async () => {
  const env = { ...environment(), DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/x', SIGNALBOX_TOKEN: 'open-sesame' }
  const { code, out } = await runInProcess(['doctor'], { env })
  expect(code).toBe(6)
  expect(out).not.toMatch(/hunter2|open-sesame/)
})

/** A person's machine with a data directory that is still empty. */
function environment() {
  return {
    HOME: temporaryDirectory(),
    PATH: temporaryDirectory(),
    SIGNALBOX_HOME: temporaryDirectory(),
    SIGNALBOX_PORT: '0',
    SIGNALBOX_REPOSITORY_MCP_PORT: 'off',
  }
}

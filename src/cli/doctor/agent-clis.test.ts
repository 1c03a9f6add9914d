import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import { shippedHub } from '../../../test/worlds/hub-process.ts'
import { startOwnHub } from '../../../test/worlds/own-hub.ts'
import { loadConfig } from '../../config/config.ts'
import { checkAgentClis } from './agent-clis.ts'

test('reports installed agents with their version', async () => {
  const findings = await checkWith({ codex: 'echo codex-cli 0.166.0', claude: 'echo "2.1.325 (Claude Code)"' })
  expect(findings.slice(0, 2)).toEqual([
    { is: 'ok', about: 'agents', says: 'codex 0.166.0' },
    { is: 'ok', about: 'agents', says: 'claude 2.1.325' },
  ])
})

test('says how to install missing agents', async () => {
  expect((await checkWith({})).map((finding) => finding.is === 'note' && finding.advice)).toEqual([
    '"npm install -g @openai/codex", if you want to use it',
    '"npm install -g @anthropic-ai/claude-code", if you want to use it',
    '"npm install -g @google/gemini-cli", if you want to use it',
    '"npm install -g opencode-ai", if you want to use it',
  ])
})

test('kills an agent that hangs, with all its processes', async () => {
  const mark = `mark-${randomUUID()}`
  const [codex] = await checkWith({ codex: `/bin/sh -c '/bin/sleep 1000; true' ${mark} & wait` }, 1500)
  expect(codex).toMatchObject({ is: 'note', says: 'codex did not print its version within 1.5 s' })
  await expect.poll(() => execFileSync('ps', ['-axo', 'args'], { encoding: 'utf8' }).includes(mark)).toBe(false)
})

test('reports the output of an agent that fails', async () => {
  const [codex] = await checkWith({ codex: 'echo missing platform package >&2; exit 3' })
  expect(codex).toMatchObject({
    is: 'note',
    says: 'codex --version exited with 3 and printed: missing platform package',
    advice: expect.stringContaining('npm install -g @openai/codex'),
  })
})

test('says why an agent does not start, without a code', async () => {
  const bin = temporaryDirectory()
  writeFileSync(join(bin, 'codex'), '', { mode: 0o644 })
  const [codex] = await checkAgentClis({ env: { PATH: bin }, timeoutMs: 10_000 })
  expect(codex).toMatchObject({ says: 'codex does not start: permission denied' })
})

test('does not pass the tokens of the person to an agent', async () => {
  const [codex] = await checkWith({ codex: 'echo "1.0.0$SIGNALBOX_TOKEN"' })
  expect(codex).toMatchObject({ says: 'codex 1.0.0' })
})

test('reports the agents that the running hub finds, not those on the PATH of the person', async () => {
  const bins = { ofHub: temporaryDirectory(), here: temporaryDirectory() }
  const place = (bin: string, name: string) =>
    writeFileSync(join(bin, name), '#!/bin/sh\necho 1.2.3\n', { mode: 0o755 })
  place(bins.ofHub, 'codex')
  place(bins.here, 'claude')
  await using hub = await startOwnHub({ program: shippedHub, env: { PATH: `${bins.ofHub}:/usr/bin:/bin` } })
  const env = { PATH: bins.here, HOME: bins.here, SIGNALBOX_HOME: hub.home }
  const { config } = loadConfig({ env })
  const findings = await checkAgentClis({ env, timeoutMs: 30_000, config })
  expect(findings.slice(0, 2)).toEqual([
    { is: 'ok', about: 'agents', says: 'the running hub finds codex' },
    {
      is: 'note',
      about: 'agents',
      says: 'claude 1.2.3 is installed, but not on the PATH of the running hub',
      advice: expect.stringContaining('restart the hub from a shell that finds it'),
    },
  ])
})

async function checkWith(scripts: Record<string, string>, timeoutMs = 30_000) {
  const bin = temporaryDirectory()
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }
  return checkAgentClis({ env: { PATH: bin, HOME: bin, SIGNALBOX_TOKEN: 'sb_human_x' }, timeoutMs })
}

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import { checkAgentClis } from './agent-clis.ts'

test('agents that are there are named with their version', async () => {
  const findings = await checkWith({ codex: 'echo codex-cli 0.166.0', claude: 'echo "2.1.325 (Claude Code)"' })
  expect(findings.slice(0, 2)).toEqual([
    { is: 'ok', about: 'agents', says: 'codex 0.166.0' },
    { is: 'ok', about: 'agents', says: 'claude 2.1.325' },
  ])
})

test('agents that are missing are notes with the way to install them', async () => {
  expect((await checkWith({})).map((finding) => finding.is === 'note' && finding.advice)).toEqual([
    '"npm install -g @openai/codex", if you want to use it',
    '"npm install -g @anthropic-ai/claude-code", if you want to use it',
    '"npm install -g @google/gemini-cli", if you want to use it',
    '"npm install -g opencode-ai", if you want to use it',
  ])
})

test('an agent that hangs is left behind, with all it started', async () => {
  const [codex] = await checkWith({ codex: 'sleep 600 & sleep 600' }, 300)
  expect(codex).toMatchObject({ is: 'note', says: 'codex did not say its version within 0.3 s' })
})

test('an agent that fails is a note with what it said', async () => {
  const [codex] = await checkWith({ codex: 'echo missing platform package >&2; exit 3' })
  expect(codex).toMatchObject({
    is: 'note',
    says: 'codex --version ended with 3 and said: missing platform package',
    advice: expect.stringContaining('npm install -g @openai/codex'),
  })
})

test('an agent is not shown the tokens of the person who asks', async () => {
  const [codex] = await checkWith({ codex: 'echo "1.0.0$SIGNALBOX_TOKEN"' })
  expect(codex).toMatchObject({ says: 'codex 1.0.0' })
})

async function checkWith(scripts: Record<string, string>, timeoutMs = 30_000) {
  const bin = temporaryDirectory()
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }
  // The scripts need sleep; nothing else may be found, since agents may be installed on this machine.
  for (const name of ['sleep']) writeFileSync(join(bin, name), `#!/bin/sh\nexec /bin/${name} "$@"\n`, { mode: 0o755 })
  return checkAgentClis({ env: { PATH: bin, HOME: bin, SIGNALBOX_TOKEN: 'sb_human_x' }, timeoutMs })
}

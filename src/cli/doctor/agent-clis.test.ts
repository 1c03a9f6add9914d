import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
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
  const socket = join(temporaryDirectory(), 'alive')
  const listener = `"${process.execPath}" -e "require('node:net').createServer().listen('${socket}')"`
  const [codex] = await checkWith({ codex: `${listener} & wait` }, 1500)
  expect(codex).toMatchObject({ is: 'note', says: 'codex did not say its version within 1.5 s' })
  await expect.poll(() => canConnect(socket)).toBe(false)
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
  return checkAgentClis({ env: { PATH: bin, HOME: bin, SIGNALBOX_TOKEN: 'sb_human_x' }, timeoutMs })
}

async function canConnect(socket: string): Promise<boolean> {
  const client = connect(socket)
  try {
    await once(client, 'connect')
    return true
  } catch {
    return false
  } finally {
    client.destroy()
  }
}

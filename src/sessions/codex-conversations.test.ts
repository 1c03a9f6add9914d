import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { listCodexConversations } from './codex-conversations.ts'
import { findConversation } from './find-conversation.ts'
import type { SessionRecord } from './session-store.ts'

const startedAt = '2026-11-17T04:58:00.000Z'

function open() {
  const home = temporaryDirectory()
  const folder = join(home, 'sessions/2026')
  mkdirSync(folder, { recursive: true })
  const linesOf = (id: string) =>
    [{ type: 'session_meta', payload: { id, cwd: home, timestamp: startedAt } }, { type: 'task_started' }]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join('')
  const write = (name: string, id: string) => writeFileSync(join(folder, name), linesOf(id))
  const environment = { CODEX_HOME: home }
  return { home, folder, linesOf, write, environment }
}

test('a link and a pipe that an agent left are not conversations, and the hub does not wait for them', async () => {
  const { home, folder, linesOf, write, environment } = open()
  write('rollout-own.jsonl', 'own')
  writeFileSync(join(home, 'private'), linesOf('private'))
  symlinkSync(join(home, 'private'), join(folder, 'rollout-link.jsonl'))
  execFileSync('mkfifo', [join(folder, 'rollout-pipe.jsonl')])
  expect((await listCodexConversations(environment, 0)).map(({ id }) => id)).toEqual(['own'])
})

test('an id that its agent chose is no flag of its program', async () => {
  const { home, write, environment } = open()
  const time = { createdAt: startedAt, endedAt: new Date().toISOString(), updatedAt: startedAt }
  const record = { name: 'mine', template: 'codex', workspacePath: home, ...time } as unknown as SessionRecord
  const listedBy = { listed_by: 'codex' } as const
  const beside = { session: 'mine', sandbox: 'off', confine: async () => Promise.reject(new Error('unused')) } as const
  const rules = { start: [], resume: ['resume', '{conversation_id}'], chosen_by: [], ...listedBy }
  write('rollout-flag.jsonl', '--dangerously-bypass-approvals-and-sandbox')
  await expect(findConversation(record, rules, environment, beside)).rejects.toThrow('has no conversation to resume')
  write('rollout-own.jsonl', 'own')
  expect(await findConversation(record, rules, environment, beside)).toBe('own')
})

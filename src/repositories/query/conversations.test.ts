import { expect, test } from 'vitest'
import type { RepositoryView } from '../../api/repository.ts'
import type { SessionStatus } from '../../api/session.ts'
import { HubError } from '../../base/hub-error.ts'
import { createLog } from '../../base/log.ts'
import { createRedactor } from '../../base/redact.ts'
import { loadConfig } from '../../config/config.ts'
import type { AnsweringRecord } from './conversations.ts'
import { answeredRepository, createConversations, idleMs } from './conversations.ts'

const index = { is: 'ready', files: 1, chunks: 1, bytes: 1, skipped: 0 } as const
const repository: RepositoryView = { id: 'r1', name: 'One!', path: '/one', host_path: '/one', added_at: '', index }
const person = { session: undefined }
const { signal } = new AbortController()

/** Sessions that start at once and do nothing. */
function createWorld() {
  const records = new Map<string, AnsweringRecord & { status: SessionStatus }>()
  const since = new Map<string, string>()
  const add = (record: Omit<AnsweringRecord, 'id' | 'status'>) => {
    const id = `s${records.size}`
    records.set(id, { ...record, id, status: 'running' })
    since.set(record.name, new Date().toISOString())
    return { record: records.get(id)! }
  }
  const conversations = createConversations({
    sessions: {
      create: async ({ workingDir, ...spec }) => add({ ...spec, workspacePath: workingDir }),
      resume: async (ended) => add(ended),
      async find(id) {
        const record = records.get(id)
        if (record) return { ...record }
        throw new HubError('not-found', 'none')
      },
      running: () => [...records.values()].filter(({ status }) => status === 'running'),
      activityOf: ({ name }) => ({ is: 'idle', since: since.get(name)!, source: 'agent', confidence: 1 }),
      async kill({ id }) {
        records.get(id)!.status = 'stopped'
      },
    },
    threads: { find: async (thread) => ({ sessionId: thread.at(-1) === '0' ? 's0' : undefined }) },
    settings: loadConfig({ env: { HOME: '/nobody' } }).config,
    log: createLog({ level: 'error', redactor: createRedactor() }),
  })
  return {
    conversations,
    records,
    age: (name: string, ms: number) => since.set(name, new Date(Date.now() - ms).toISOString()),
  }
}

const thread = 't00000000-0000-0000-0000-000000000000'

test('a session is ended after a while without questions, but not while it answers', async () => {
  const { conversations, records, age } = createWorld()
  const held = await conversations.begin(repository, person, signal)
  age(held.record.name, idleMs + 1_000)
  await conversations.endIdle()
  expect(records.get('s0')?.status).toBe('running')
  held[Symbol.dispose]()
  age(held.record.name, idleMs - 60_000)
  await conversations.endIdle()
  expect(records.get('s0')?.status).toBe('running')
  age(held.record.name, idleMs + 1_000)
  await conversations.endIdle()
  expect(records.get('s0')?.status).toBe('stopped')
})

test('two questions for an ended conversation resume it once', async () => {
  const { conversations, records } = createWorld()
  const first = await conversations.begin(repository, person, signal)
  await first.end()
  first[Symbol.dispose]()
  const again = [1, 2].map(() => conversations.reopen(thread, repository, person, signal))
  const [one, two] = await Promise.all(again)
  expect(one?.record.id).toBe(two?.record.id)
  expect(records.size).toBe(2)
})

test('a conversation is not found by others, nor for another repository', async () => {
  const { conversations } = createWorld()
  await conversations.begin(repository, { session: 'a' }, signal)
  const reopen = (owner: { session: string | undefined }, id = 'r1', conversation = thread) =>
    conversations.reopen(conversation, { ...repository, id }, owner, signal)
  expect((await reopen({ session: 'a' })).isNew).toBe(false)
  for (const refused of [reopen(person), reopen({ session: 'b' }), reopen({ session: 'a' }, 'r2')]) {
    await expect(refused).rejects.toThrow('you have no conversation')
  }
  await expect(reopen({ session: 'a' }, 'r1', 's0')).rejects.toThrow('you have no conversation')
})

test('the longest idle session makes room for another, and if all of them answer, the next question waits', async () => {
  const { conversations, records, age } = createWorld()
  const held = []
  for (let number = 0; number < 8; number++) held.push(await conversations.begin(repository, person, signal))
  await expect(conversations.begin(repository, person, signal)).rejects.toThrow('Ask again in a minute')
  for (const one of held.slice(2, 4)) one[Symbol.dispose]()
  age(held[3]!.record.name, 5_000)
  await conversations.begin(repository, person, signal)
  expect([...records.values()].flatMap(({ id, status }) => (status === 'stopped' ? [id] : []))).toEqual(['s3'])
})

test('the session says about which repository it answers', async () => {
  const { record } = await createWorld().conversations.begin(repository, person, signal)
  expect(record.name).toMatch(/^ask-one-[0-9a-f]{8}$/)
  expect(answeredRepository(record)).toBe('r1')
  expect(answeredRepository({ ...record, template: 'codex' })).toBeUndefined()
})

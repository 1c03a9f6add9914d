import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'
import { useWorld } from '../../test/worlds/session-world.ts'
import { threads } from './migrations/hub/0018-threads.ts'

const never = new AbortController().signal

describeOnEachEngine('threads of an earlier release', (open) => {
  test('keep their entries, and their forks no longer belong to a session', async () => {
    const opened = await open()
    const { db } = opened.store
    const run = (statement: string) => sql.raw(statement).execute(db)
    const { sessions } = useWorld(opened)
    const { record } = await sessions.create({ name: 'agent', command: 'cat' }, never)
    // Restores the tables of that release.
    for (const table of ['thread_entries', 'threads', 'thread_progress']) await run(`drop table ${table}`)
    await run('alter table sessions drop column model')
    await run(`delete from signalbox_migrations where name = '0022-switched-threads'`)
    for (const statement of threads.statements) if (!statement.startsWith('alter')) await run(statement)
    const thread = { session_id: record.id, agent: 'claude', label: null, created_at: '2026-01-01T00:00:00.000Z' }
    const entry = { type: 'prompt', at: thread.created_at, model: null, body: '{"text":"hi"}' }
    await db
      .insertInto('threads')
      .values([
        { ...thread, id: 't1', conversation: 'c1', parent: null, fork_key: null },
        { ...thread, id: 't2', conversation: null, parent: 't1', fork_key: 'p1' },
      ])
      .execute()
    await db
      .insertInto('thread_entries')
      .values(['t1', 't2'].map((id) => ({ ...entry, thread_id: id, seq: 1, key: 'p1' })))
      .execute()

    const { db: next } = await opened.reopen()
    const owners = await next.selectFrom('threads').select(['id', 'session_id']).orderBy('id').execute()
    expect(owners).toEqual([
      { id: 't1', session_id: record.id },
      { id: 't2', session_id: null },
    ])
    expect(
      await next.selectFrom('thread_entries').select(['thread_id', 'body']).orderBy('thread_id').execute(),
    ).toEqual([
      { thread_id: 't1', body: entry.body },
      { thread_id: 't2', body: entry.body },
    ])
    // A thread is still deleted with its session, and entries with their thread.
    await next.deleteFrom('sessions').where('id', '=', record.id).execute()
    expect(await next.selectFrom('thread_entries').select('thread_id').execute()).toEqual([{ thread_id: 't2' }])
  })
})

/** Jobs are kept forever, so lists of them have pages. */
import { expect, test } from 'vitest'
import { openSessionTools } from '../../test/fixtures/session-tools.ts'
import { useWorld } from '../../test/worlds/session-world.ts'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'
import type { Job } from '../api/job.ts'

interface JobPage {
  readonly jobs: readonly Job[]
  readonly next_cursor?: string
}

describeOnEachEngine('lists of jobs', (open) => {
  /** Queues jobs that stay queued, because the limit is 0. */
  async function begin(count: number) {
    const { sessions } = useWorld(await open(), [], { jobConcurrency: 0 })
    for (let job = 0; job < count; job++) {
      await sessions.enqueue({ name: `job-${job}`, template: 'script', command: 'true' }, job % 2)
    }
    return { sessions, ...openSessionTools(sessions) }
  }

  test('list_jobs pages through jobs, newest first, each with its position in the whole queue', async () => {
    const { call } = await begin(5)
    const seen: (readonly [string, number | undefined])[] = []
    const pages: number[] = []
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page: JobPage = await call('list_jobs', { status: 'queued', limit: 2, ...(cursor && { cursor }) })
      seen.push(...page.jobs.map(({ session, position }) => [session, position] as const))
      pages.push(page.jobs.length)
      cursor = page.next_cursor
    }
    expect(pages).toEqual([2, 2, 1])
    expect(seen).toEqual([
      ['job-4', 4],
      ['job-3', 1],
      ['job-2', 3],
      ['job-1', 0],
      ['job-0', 2],
    ])
  })

  test('a cancelled job leaves the queue, and the jobs behind it move up', async () => {
    const { call, sessions } = await begin(3)
    const [first] = (await sessions.jobs.list({ limit: 10 })).jobs.filter(({ position }) => position === 0)
    expect(await call('cancel_job', { id: first!.id })).toEqual(expect.not.objectContaining({ position: 0 }))
    const { jobs } = await sessions.jobs.list({ status: 'queued', limit: 10 })
    expect(jobs.map(({ position }) => position)).toEqual([1, 0])
  })

  test('resources list the newest 200, and say if there are more', async () => {
    const { read, sessions } = await begin(200)
    for (const kind of ['jobs', 'sessions'] as const) {
      const page = JSON.parse((await read(`resource://${kind}`))!)
      expect(page[kind]).toHaveLength(200)
      expect(page).not.toHaveProperty('next_cursor')
    }
    await sessions.enqueue({ name: 'one-more', template: 'script', command: 'true' }, 0)
    for (const kind of ['jobs', 'sessions'] as const) {
      const page = JSON.parse((await read(`resource://${kind}`))!)
      expect(page[kind]).toHaveLength(200)
      expect(page.next_cursor).toContain('_')
    }
  })
})

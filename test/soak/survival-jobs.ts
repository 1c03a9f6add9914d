/** Jobs that run until a file appears, and record each start, so that a job that started twice or never is found. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Job } from '../../src/api/job.ts'
import { callTool, type Endpoint } from '../harness/modern-call.ts'

export interface Jobs {
  /** Checks that running jobs still run and waiting jobs still wait. */
  expectUnchanged(hub: Endpoint): Promise<void>
  /** Lets all jobs end, and checks that each ran once and to its end. */
  finish(hub: Endpoint): Promise<void>
}

const patience = { timeout: 120_000, interval: 50 }
const exitCode = 7

export interface Queue {
  readonly count: number
  /** This many run at a time. The others wait. */
  readonly atOnce: number
}

/** Resolves when `atOnce` jobs run. */
export async function enqueueJobs(hub: Endpoint, directory: string, { count, atOnce }: Queue): Promise<Jobs> {
  const starts = join(directory, 'job-starts')
  const end = join(directory, 'jobs-may-end')
  appendFileSync(starts, '')
  const names = Array.from({ length: count }, (_, index) => `job-${index}`)
  for (const name of names) {
    const command = `echo ${name} >> '${starts}'; until [ -e '${end}' ]; do echo tick; sleep 0.2; done; echo the end; exit ${exitCode}`
    await callTool(hub, 'enqueue_one_off', { name, command })
  }

  async function statuses(endpoint: Endpoint): Promise<Readonly<Record<string, string>>> {
    const { jobs } = (await callTool(endpoint, 'list_jobs')) as { jobs: readonly Job[] }
    return Object.fromEntries(jobs.map(({ session, status }) => [session, status]))
  }

  const whileNoneEnds = Object.fromEntries(
    names.map((name, index) => [name, index < atOnce ? 'running' : 'queued'] as const),
  )
  const started = () => readFileSync(starts, 'utf8').split('\n').filter(Boolean).toSorted()
  await expect.poll(() => statuses(hub), patience).toEqual(whileNoneEnds)
  await expect.poll(started, patience).toEqual(names.slice(0, atOnce))
  return {
    expectUnchanged: async (endpoint) => expect(await statuses(endpoint)).toEqual(whileNoneEnds),
    async finish(endpoint) {
      writeFileSync(end, '')
      const failed = Object.fromEntries(names.map((name) => [name, 'failed']))
      await expect.poll(() => statuses(endpoint), patience).toEqual(failed)
      expect(started()).toEqual(names)
      for (const name of names) {
        expect(await callTool(endpoint, 'get_session', { name })).toMatchObject({ exit_code: exitCode })
        expect(await callTool(endpoint, 'tail_log', { name, lines: 1 })).toMatchObject({ log: 'the end' })
      }
    },
  }
}

/** Jobs that run until they are told to end, and note each time they begin: one that began twice, or never, is found. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Job } from '../../src/api/job.ts'
import { callTool, type Endpoint } from '../harness/modern-call.ts'

export interface Jobs {
  /** Those that ran, run; those that waited, wait. */
  expectGoingOn(hub: Endpoint): Promise<void>
  /** Lets all of them end, and looks whether each ran once, to its end. */
  finish(hub: Endpoint): Promise<void>
}

const patience = { timeout: 120_000, interval: 50 }
const exitCode = 7

export interface Queue {
  readonly count: number
  /** So many of them run, and the others wait. */
  readonly atOnce: number
}

/** Resolves when as many run as may. */
export async function enqueueJobs(hub: Endpoint, directory: string, { count, atOnce }: Queue): Promise<Jobs> {
  const starts = join(directory, 'job-starts')
  const end = join(directory, 'jobs-may-end')
  appendFileSync(starts, '')
  const names = Array.from({ length: count }, (_, index) => `job-${index}`)
  for (const name of names) {
    const command = `echo ${name} >> '${starts}'; until [ -e '${end}' ]; do echo tick; sleep 0.05; done; echo the end; exit ${exitCode}`
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
    expectGoingOn: async (endpoint) => expect(await statuses(endpoint)).toEqual(whileNoneEnds),
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

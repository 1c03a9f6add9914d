/** `signalbox jobs` */
import { z } from 'zod'
import { jobSchema, jobStatuses } from '../../api/job.ts'
import type { Job, JobStatus } from '../../api/job.ts'
import { ageOf } from '../terminal-output/age.ts'
import { openHubClient } from '../hub-client/ask-hub.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { listAll } from '../hub-client/list-all.ts'
import { fitTo, renderTable } from '../terminal-output/table.ts'
import type { Cell, StyledCell, TableOptions } from '../terminal-output/table.ts'

export const command = defineCommand({
  about: 'Lists the jobs, newest first: one-off commands and agents that are queued, run or have ended.',
  flags: {
    status: { takes: 'STATUS', about: `only jobs with this status: ${jobStatuses.join(', ')}` },
    ...hubFlags,
    ...jsonFlag,
  },
  examples: ['signalbox jobs', 'signalbox jobs --status failed'],
  async run(args, context) {
    const status = args.text('status')
    if (status !== undefined && !jobStatuses.some((each) => each === status)) {
      throw new CliError('usage', `"${status}" is not a status of a job. Choose one of ${jobStatuses.join(', ')}.`)
    }
    using hub = await openHubClient(args, context)
    const jobs = await listAll(
      hub,
      { tool: 'list_jobs', name: 'jobs', read: (items) => z.array(jobSchema).parse(items) },
      status === undefined ? {} : { status },
    )
    if (args.has('json')) {
      context.out(JSON.stringify({ jobs }, null, 2))
      return 'ok'
    }
    const options = fitTo(context.display())
    context.out(
      jobs.length > 0 ? renderJobs(jobs, new Date(), options) : 'There are no jobs. Add one with "signalbox jobs add".',
    )
    return 'ok'
  },
})

export function renderJobs(jobs: readonly Job[], now: Date, options: TableOptions = {}): string {
  const rows = jobs.map((job): Cell[] => [
    job.id,
    job.session,
    { text: statusOf(job), style: styles[job.status] },
    String(job.priority),
    `${ageOf(job.created_at, now)} ago`,
    job.started_at === undefined
      ? '–'
      : ageOf(job.started_at, job.ended_at === undefined ? now : new Date(job.ended_at)),
    [job.command, job.prompt ?? '']
      .filter((text) => text !== '')
      .join(': ')
      .replaceAll(/\s+/g, ' '),
  ])
  return renderTable([['id', 'session', 'status', 'priority', 'added', 'ran', 'command'], ...rows], options)
}

function statusOf({ status, position, exit_code: code }: Job): string {
  if (status === 'queued' && position !== undefined) return `queued, ${position} ahead`
  return status === 'failed' && code !== undefined ? `failed (${code})` : status
}

const styles: Readonly<Record<JobStatus, StyledCell['style']>> = {
  queued: 'cyan',
  running: 'green',
  completed: 'dim',
  failed: 'red',
  cancelled: 'dim',
}

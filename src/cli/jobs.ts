/** `signalbox jobs` */
import { jobSchema, jobStatuses } from '../api/job.ts'
import type { Job, JobStatus } from '../api/job.ts'
import { ageOf } from './age.ts'
import { connectFrom } from './ask-hub.ts'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { listAll } from './list-all.ts'
import { fitTo, renderTable } from './table.ts'
import type { Cell, StyledCell, TableOptions } from './table.ts'

export const command = defineCommand({
  about: 'Lists the jobs, the newest first: one-off commands that wait for their turn, run or have ended.',
  flags: {
    status: { takes: 'STATUS', about: `only those that are ${jobStatuses.join(', ')}` },
    ...hubFlags,
    ...jsonFlag,
  },
  examples: ['signalbox jobs', 'signalbox jobs --status failed'],
  async run(args, context) {
    const status = args.text('status')
    if (status !== undefined && !jobStatuses.some((each) => each === status)) {
      throw new CliError('usage', `No job is ever "${status}": jobs are ${jobStatuses.join(', ')}.`)
    }
    await using hub = await connectFrom(args, context)
    const jobs = await listAll(
      hub,
      { tool: 'list_jobs', name: 'jobs', item: jobSchema },
      status === undefined ? {} : { status },
    )
    if (args.has('json')) {
      context.out(JSON.stringify({ jobs }, null, 2))
      return 'ok'
    }
    const options = fitTo(context.display())
    context.out(
      jobs.length > 0 ? renderJobs(jobs, new Date(), options) : 'There are no jobs. "signalbox jobs add" makes one.',
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
    job.command.replaceAll(/\s+/g, ' '),
  ])
  return renderTable([['id', 'session', 'status', 'priority', 'asked for', 'ran', 'command'], ...rows], options)
}

function statusOf({ status, position, exit_code: code }: Job): string {
  if (status === 'queued' && position !== undefined) return `queued, ${position} before it`
  return status === 'failed' && code !== undefined ? `failed with ${code}` : status
}

const styles: Readonly<Record<JobStatus, StyledCell['style']>> = {
  queued: 'cyan',
  running: 'green',
  completed: 'dim',
  failed: 'red',
  cancelled: 'dim',
}

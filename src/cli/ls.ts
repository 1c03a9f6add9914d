/** `signalbox ls` */
import { setTimeout as delay } from 'node:timers/promises'
import { isOver } from '../api/session.ts'
import type { ActivityKind, Session } from '../api/session.ts'
import { ageOf } from './age.ts'
import { connectFrom } from './ask-hub.ts'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'
import type { CliContext } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { listSessions } from './list-sessions.ts'
import { fitTo, renderTable } from './table.ts'
import type { Cell, StyledCell, TableOptions } from './table.ts'

export const command = defineCommand({
  about: [
    'Lists the sessions, the newest first: what each is, what it is doing and for how long, and what it last said.',
    '◆ waits for a person, ● works, ○ is idle.',
  ].join('\n'),
  flags: {
    all: { short: 'a', about: 'also those that have ended' },
    label: { takes: 'LABEL', about: 'only those with this label' },
    watch: { short: 'w', about: 'go on showing it, until Ctrl-C' },
    ...hubFlags,
    ...jsonFlag,
  },
  examples: ['signalbox ls', 'signalbox ls --all --label nightly', 'signalbox ls --watch'],
  async run(args, context) {
    const label = args.text('label')
    const isWatching = args.has('watch')
    if (isWatching && args.has('json'))
      throw new CliError('usage', '--watch is for people; ask for --json when needed.')
    await using hub = await connectFrom(args, context)

    async function look(): Promise<readonly Session[]> {
      const sessions = await listSessions(hub, label === undefined ? {} : { label })
      return args.has('all') ? sessions : sessions.filter(({ status }) => !isOver(status))
    }
    if (isWatching) return await watch(async () => renderList(await look(), context), context)
    const sessions = await look()
    context.out(args.has('json') ? JSON.stringify({ sessions }, null, 2) : renderList(sessions, context))
    return 'ok'
  },
})

function renderList(sessions: readonly Session[], context: CliContext): string {
  if (sessions.length === 0) return 'No session is running. "signalbox new" starts one.'
  return renderSessions(sessions, new Date(), fitTo(context.display()))
}

const watchMs = 1000

/** Drawn over itself, line by line, so that nothing flickers. The ages go on by the second, so there is always news. */
async function watch(render: () => Promise<string>, context: CliContext): Promise<never> {
  const display = context.display()
  if (!display) throw new CliError('usage', '--watch needs a terminal, and this is a pipe or a file.')
  const onExit = (): void => void context.write('\x1b[?25h\x1b[?1049l')
  process.on('exit', onExit)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(0))
  await context.write('\x1b[?1049h\x1b[?25l')
  for (;;) {
    const lines = (await render()).split('\n').slice(0, context.display()?.rows)
    await context.write(`\x1b[H${lines.map((line) => `${line}\x1b[K`).join('\r\n')}\x1b[J`)
    await delay(watchMs)
  }
}

export function renderSessions(sessions: readonly Session[], now: Date, options: TableOptions = {}): string {
  const head = ['name', 'template', 'status', 'activity', 'size', 'says'].map((text): Cell => ({ text, style: 'dim' }))
  const rows = sessions.map((session): Cell[] => [
    { text: session.name, style: 'bold' },
    session.template,
    statusCell(session, now),
    activityCell(session, now),
    `${session.size.cols}x${session.size.rows}`,
    saysCell(session),
  ])
  return renderTable([head, ...rows], options)
}

function statusCell({ status, exit_code, signal, updated_at }: Session, now: Date): Cell {
  switch (status) {
    case 'queued':
    case 'starting':
      return { text: status, style: 'cyan' }
    case 'running':
      return { text: status, style: 'green' }
    case 'completed':
    case 'stopped':
      return { text: `${status} ${ageOf(updated_at, now)} ago`, style: 'dim' }
    case 'failed': {
      const how = signal ?? exit_code
      return { text: `failed${how === undefined ? '' : ` (${how})`} ${ageOf(updated_at, now)} ago`, style: 'red' }
    }
  }
}

/** What has ended does nothing. */
function activityCell({ status, activity }: Session, now: Date): Cell {
  if (isOver(status)) return { text: '–', style: 'dim' }
  const { sign, style } = looks[activity.is]
  return { text: `${sign} ${activity.is} ${ageOf(activity.since, now)}`, style }
}

/** What it wants from a person comes first. */
function saysCell({ status, activity, last_message, description }: Session): Cell {
  const wanted = isOver(status) || activity.is !== 'waiting' ? undefined : activity.reason
  if (wanted !== undefined) return { text: oneLine(wanted), style: 'yellow' }
  return { text: oneLine(last_message ?? description ?? ''), style: 'dim' }
}

const looks: Readonly<Record<ActivityKind, { readonly sign: string; readonly style: StyledCell['style'] }>> = {
  working: { sign: '●', style: 'green' },
  waiting: { sign: '◆', style: ['bold', 'yellow'] },
  idle: { sign: '○', style: 'dim' },
  unknown: { sign: '·', style: 'dim' },
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** `signalbox ls` */
import { setTimeout as delay } from 'node:timers/promises'
import { isOver } from '../../api/session-status.ts'
import type { ActivityKind, Session } from '../../api/session.ts'
import { ageOf } from '../terminal-output/age.ts'
import { openHubClient } from '../hub-client/ask-hub.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import type { CliContext } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { listSessions } from './list-sessions.ts'
import { printable } from '../terminal-output/printable.ts'
import { resumeHint } from './resume-hint.ts'
import { fitTo, renderTable } from '../terminal-output/table.ts'
import type { Cell, StyledCell, TableOptions } from '../terminal-output/table.ts'

export const command = defineCommand({
  about: [
    'Lists the sessions: template, status, activity and since when, size, and last message. Sessions that wait for a',
    'person come first, then the newest. ◆ waits for a person, ● is working, ○ is idle. "governed" says whether the policy',
    'covers the tools that are built into an agent ("not yet": nothing has shown it), "confined" by what a session is kept',
    'from your files.',
  ].join('\n'),
  flags: {
    all: { short: 'a', about: 'include sessions that have ended, and show ids' },
    label: { takes: 'LABEL', about: 'only sessions with this label' },
    watch: { short: 'w', about: 'update the list until you press Ctrl-C' },
    ...hubFlags,
    ...jsonFlag,
  },
  examples: ['signalbox ls', 'signalbox ls --all --label nightly', 'signalbox ls --watch'],
  async run(args, context) {
    const label = args.text('label')
    const isWatching = args.has('watch')
    if (isWatching && args.has('json'))
      throw new CliError('usage', '--watch is for people and does not go with --json. Leave one of them out.')
    using hub = await openHubClient(args, context)

    async function list(): Promise<readonly Session[]> {
      const sessions = await listSessions(hub, label === undefined ? {} : { label })
      return args.has('all') ? sessions : sessions.filter(({ status }) => !isOver(status))
    }
    const options = () => ({ ...fitTo(context.display()), hasIds: args.has('all') })
    if (isWatching) return await watch(async () => renderList(await list(), options()), context)
    const sessions = await list()
    context.out(args.has('json') ? JSON.stringify({ sessions }, null, 2) : renderList(sessions, options()))
    return 'ok'
  },
})

function renderList(sessions: readonly Session[], options: ListOptions): string {
  if (sessions.length === 0) return 'No session is running. Start one with "signalbox new".'
  return renderSessions(sessions, new Date(), options)
}

const watchMs = 1000

/** Draws over the old lines, so that nothing flickers. Redraws every second, because the ages change. */
async function watch(render: () => Promise<string>, context: CliContext): Promise<never> {
  const display = context.display()
  if (!display)
    throw new CliError('usage', '--watch needs a terminal, but this is a pipe or a file. Leave --watch out.')
  const onExit = (): void => void context.write('\x1b[?25h\x1b[?1049l')
  process.on('exit', onExit)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(0))
  await context.write('\x1b[?1049h\x1b[?25l')
  for (;;) {
    const lines = printable(await render())
      .split('\n')
      .slice(0, context.display()?.rows)
    await context.write(`\x1b[H${lines.map((line) => `${line}\x1b[K`).join('\r\n')}\x1b[J`)
    await delay(watchMs)
  }
}

/** Ended sessions may share a name. Then only their ids tell them apart. */
interface ListOptions extends TableOptions {
  readonly hasIds?: boolean
}

export function renderSessions(sessions: readonly Session[], now: Date, options: ListOptions = {}): string {
  const ids = options.hasIds ? ['id'] : []
  const hasAgents = sessions.some(({ governed }) => governed)
  const hasConfined = sessions.some(({ confined }) => confined)
  const heads = [
    'name',
    'template',
    'status',
    'activity',
    ...(hasAgents ? ['governed'] : []),
    ...(hasConfined ? ['confined'] : []),
    'size',
    ...ids,
    'says',
  ]
  const head = heads.map((text): Cell => ({ text, style: 'dim' }))
  const rows = sessions.map((session): Cell[] => [
    { text: session.name, style: 'bold' },
    session.template,
    statusCell(session, now),
    activityCell(session, now),
    ...(hasAgents ? [governedCell(session)] : []),
    ...(hasConfined ? [confinedCell(session)] : []),
    `${session.size.cols}x${session.size.rows}`,
    ...(options.hasIds ? [session.id] : []),
    saysCell(session, sessions),
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

/** A session that has ended has no activity. */
function activityCell({ status, activity }: Session, now: Date): Cell {
  if (isOver(status)) return { text: '–', style: 'dim' }
  const { sign, style } = looks[activity.is]
  return { text: `${sign} ${activity.is} ${ageOf(activity.since, now)}`, style }
}

/** Whether the policy covers the tools built into the agent. */
function governedCell({ governed }: Session): Cell {
  switch (governed?.is) {
    case 'yes':
      return { text: 'yes', style: 'green' }
    case 'partly':
      return { text: governed.is, style: 'yellow' }
    case 'no':
      return governed.unproven ? { text: 'not yet', style: 'yellow' } : { text: governed.is, style: ['bold', 'red'] }
    case undefined:
      return { text: '–', style: 'dim' }
  }
}

/** The backend that confines the session, and the network that it reaches. */
function confinedCell({ confined, status }: Session): Cell {
  if (!confined) return isOver(status) ? { text: '–', style: 'dim' } : { text: 'no', style: 'yellow' }
  const { by, network, unlimited = [] } = confined
  const reach = typeof network === 'object' ? `${network.allow.length} hosts` : network
  return {
    text: [by, `network ${reach}`, ...unlimited.map((each) => `no limit of ${each}`)].join(', '),
    style: 'green',
  }
}

/** A question to a person comes first, then the last message, then why the agent is not governed. */
function saysCell(session: Session, sessions: readonly Session[]): Cell {
  const { name, status, activity, last_message, description, governed } = session
  const wanted = isOver(status) || activity.is !== 'waiting' ? undefined : activity.reason
  if (wanted !== undefined) return { text: oneLine(wanted), style: 'yellow' }
  // `resume` takes a name, and a name means the newest session. So only that one gets the hint.
  const hint = sessions.find((each) => each.name === name) === session ? resumeHint(session) : ''
  return { text: oneLine(`${last_message ?? governed?.reason ?? description ?? ''} ${hint}`), style: 'dim' }
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

/** `signalbox kill` */
import { messageOf } from '../../base/hub-error.ts'
import { z } from 'zod'
import { sessionSchema } from '../../api/session.ts'
import type { Session } from '../../api/session.ts'
import { ask, openHubClient } from '../hub-client/ask-hub.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { scriptWithinMs, startWithinMs } from './created.ts'
import { resumeHint } from './resume-hint.ts'

const killedSchema = sessionSchema.extend({
  worktree: z
    .object({
      is: z.string(),
      path: z.string(),
      branch: z.string().optional(),
      why: z.string().optional(),
      output: z.string().optional(),
    })
    .optional(),
})
type Killed = z.output<typeof killedSchema>

export const command = defineCommand({
  takes: '<session>…',
  about: [
    'Ends the programs of sessions and all processes in their terminals, except those that started a session of their own',
    '(setsid). Keeps their output and their workspaces. With --remove, deletes their output, and the git worktrees that',
    '"new --worktree" made for them, with their branches. A worktree with uncommitted or untracked work, or with commits',
    'that are on no other branch, stays, and so does every other workspace. Files that git ignores go with a clean',
    'worktree. If one session cannot be ended, the others still are.',
  ].join('\n'),
  flags: { remove: { about: 'delete the sessions, their output and their clean worktrees' }, ...hubFlags, ...jsonFlag },
  words: { min: 1, max: Infinity },
  examples: ['signalbox kill fix-tests', 'signalbox kill old-one other-one --remove'],
  async run(args, context) {
    const remove = args.has('remove')
    const ended: Killed[] = []
    const problems: string[] = []
    using hub = await openHubClient(args, context)
    for (const name of args.words) {
      try {
        const timeoutMs = startWithinMs + (remove ? scriptWithinMs : 0)
        const session = killedSchema.parse(await ask(hub, 'kill_session', { name, remove }, { timeoutMs }))
        ended.push(session)
        if (args.has('json')) continue
        context.out(`${session.name} ${remove ? 'has been removed.' : endOf(session)}`)
        if (remove) for (const line of removalOf(session)) context.out(line)
        else if (session.worktree && context.display()) context.err(hintOf(session.name, session.worktree))
      } catch (error) {
        if (!(error instanceof CliError && error.exit === 'tool-error')) throw error
        problems.push(messageOf(error))
      }
    }
    if (args.has('json')) context.out(JSON.stringify({ sessions: ended }, null, 2))
    if (problems.length > 0) throw new CliError('tool-error', problems.join('\n'), { cause: problems })
    return 'ok'
  },
})

function removalOf({ worktree }: Killed): readonly string[] {
  if (!worktree) return []
  const { is, path, branch, why, output } = worktree
  if (is === 'kept') return [`Its worktree ${path} stays. ${why}`]
  const isBranchGone = branch !== undefined && why === undefined
  return [
    `Its worktree ${path}${isBranchGone ? ` and its branch ${branch} have` : ' has'} been removed.`,
    ...(why === undefined ? [] : [why]),
    ...(output ? [output] : []),
  ]
}

function hintOf(name: string, { path }: NonNullable<Killed['worktree']>): string {
  return `Its worktree ${path} stays. "signalbox kill ${name} --remove" removes it and its branch if nothing would be lost.`
}

function endOf(session: Session): string {
  const { status, exit_code: code } = session
  const how =
    status === 'stopped'
      ? 'has been stopped.'
      : `had ended already${code === undefined ? '' : ` with exit code ${code}`}.`
  return `${how} ${resumeHint(session)}`.trimEnd()
}

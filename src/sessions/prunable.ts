/** The sources for pruning sessions: ended ones, their journals, and the worktrees that the hub made. */
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PruneCandidate, PruneSource } from '../api/prune.ts'
import { isOver, sessionStatuses } from '../api/session.ts'
import { messageOf } from '../base/hub-error.ts'
import type { RunningSessions } from './running.ts'
import type { SessionGits } from './session-git.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { SessionRuns } from './session-runs.ts'
import type { SessionRecord, SessionStore } from './session-store.ts'
import type { WorktreeRecord } from './worktree-store.ts'
import type { Worktrees } from './worktrees.ts'

export interface PrunableOptions {
  readonly rows: Pick<SessionStore, 'list'>
  readonly registry: Pick<SessionRegistry, 'current' | 'remove'>
  readonly running: Pick<RunningSessions, 'settled' | 'runOf' | 'forget'>
  readonly runs: Pick<SessionRuns, 'drivers'>
  readonly gits: Pick<SessionGits, 'finish'>
  readonly worktrees: Worktrees
  readonly hubId: string
  /** The directory with a folder for each session. */
  readonly directory: string
}

const endedStatuses = sessionStatuses.filter(isOver)

/** Worktrees come first, because the records of sessions say when they were last used. */
export function createPrunable(options: PrunableOptions): readonly PruneSource[] {
  const { rows, registry, running, runs, gits, worktrees, hubId, directory } = options
  const folderOf = ({ id }: SessionRecord) => join(directory, id)

  async function listEnded(before: Date): Promise<readonly SessionRecord[]> {
    const ended = await rows.list({ hubId, statuses: endedStatuses })
    return ended.filter((record) => new Date(endOf(record)) <= before)
  }

  /** A record can be wrong: a hub may have taken a program for ended. */
  async function whyLiving({ id }: SessionRecord): Promise<string | undefined> {
    await running.settled(id)
    const record = await registry.current(id)
    if (!record) return undefined
    if (!isOver(record.status)) return 'It has not ended.'
    // A session that resumes this one inherits its policy and its connectors.
    if (worktrees.isHeld(record.workspacePath)) return 'A session is about to start in its workspace.'
    try {
      const mayRun = runs.drivers.all.some((driver) => driver.mayBeRunning?.().includes(id))
      const isRunning = mayRun && (await running.runOf(record)).status.is === 'running'
      return isRunning ? 'Its program still runs.' : undefined
    } catch (error) {
      return `The hub cannot tell whether its program still runs: ${messageOf(error)}`
    }
  }

  async function removeFiles(record: SessionRecord): Promise<string | undefined> {
    const why = await whyLiving(record)
    if (why !== undefined) return why
    await gits.finish(record)
    await running.forget(record.id)
    await rm(folderOf(record), { recursive: true, force: true })
    return undefined
  }

  async function removeSession(record: SessionRecord): Promise<string | undefined> {
    const why = await removeFiles(record)
    if (why === undefined) await registry.remove(record)
    return why
  }

  /** `undefined`: it has no files. */
  async function toJournal(record: SessionRecord): Promise<PruneCandidate | undefined> {
    const candidate = toCandidate(record, () => removeFiles(record))
    try {
      await stat(folderOf(record))
      return candidate
    } catch (error) {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
      return isMissing ? undefined : { ...candidate, why: messageOf(error) }
    }
  }

  async function toWorktree(worktree: WorktreeRecord): Promise<PruneCandidate> {
    const { path, branch, createdAt } = worktree
    const state = await worktrees.inspect(worktree)
    const users = (await rows.list({ hubId })).filter(({ workspacePath }) => workspacePath === path)
    return {
      id: path,
      name: branch,
      since: [createdAt, ...users.map(endOf)].reduce((last, time) => (time > last ? time : last)),
      ...(state.is === 'needed' && { why: state.why }),
      async remove() {
        const removal = await worktrees.remove(worktree)
        return removal.is === 'kept' ? removal.why : undefined
      },
    }
  }

  return [
    {
      what: 'worktrees',
      async list(before) {
        const found: PruneCandidate[] = []
        for (const worktree of await worktrees.list()) found.push(await toWorktree(worktree))
        return found.filter(({ since }) => new Date(since) <= before)
      },
    },
    {
      what: 'sessions',
      list: async (before) =>
        (await listEnded(before)).map((record) => toCandidate(record, () => removeSession(record))),
    },
    {
      what: 'journals',
      list: async (before) =>
        (await Promise.all((await listEnded(before)).map(toJournal))).filter((each) => each !== undefined),
    },
  ]
}

function toCandidate(record: SessionRecord, remove: PruneCandidate['remove']): PruneCandidate {
  return { id: record.id, name: record.name, since: endOf(record), remove }
}

/** Of a living session: its last change. */
function endOf({ endedAt, updatedAt }: SessionRecord): string {
  return endedAt ?? updatedAt
}

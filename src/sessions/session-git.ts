/**
 * The git directories of confined sessions. While a session runs, the hub brings what its agent commits to the person's
 * repository, and the other way round: soon after a change, at the end of each turn, and when the session ends.
 */
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { AgentGit, FolderWatch, ScriptRunner } from '../git/git.ts'
import { assertNotBare, createAgentGit, readOnlyGit, repositoryFor, watchFolders } from '../git/git.ts'
import type { Mount } from '../sandbox/sandbox.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { SessionRecord } from './session-store.ts'

export interface SessionGits {
  /** What the sandbox of a new session shows in place of its git directory. `note`: a sentence for people. */
  make(record: GitSession): Promise<{ readonly mounts: readonly Mount[]; readonly note?: string }>
  /** From now on, changes are exchanged. */
  follow(record: GitSession): void
  /** Exchanges now. Never throws: the session says what could not be done. */
  exchange(id: string): Promise<void>
  /** Exchanges once more, and stops. What takes too long goes on. */
  end(id: string): Promise<void>
  /** Exchanges what is left of an ended session, before its files are removed. Throws if that cannot be done. */
  finish(record: GitSession): Promise<void>
}

type GitSession = Pick<SessionRecord, 'id' | 'name' | 'workspacePath'>

export interface SessionGitsOptions {
  readonly run: ScriptRunner
  readonly registry: Pick<SessionRegistry, 'change'>
  /** The directory with a folder for each session. */
  readonly directory: string
  readonly log: Log
}

interface Followed {
  readonly git: AgentGit
  readonly folders: FolderWatch
  readonly stopped: AbortController
  /** The exchange that runs. */
  current: Promise<void>
  /** The one that begins after it. All who ask meanwhile share it. */
  next: Promise<void> | undefined
  isChanged: boolean
  /** An exchange runs or has failed. The cause may be a lock, so another follows when locks change. */
  meetsLocks: boolean
}

/** git makes several changes for one command. */
const pauseMs = 200
/** A program that changes its repository without end keeps the hub busy for this part of the time. */
const pausePerMs = 5
const endWithinMs = 5_000
const prefix = 'git: '

const placeSchema = z.object({
  workspace: z.string(),
  repository: z.object({ shared: z.string(), own: z.string() }),
})

export function createSessionGits({ run, registry, directory, log }: SessionGitsOptions): SessionGits {
  const followed = new Map<string, Followed>()
  /** Without links. */
  const folderOf = (id: string) => {
    mkdirSync(join(directory, id), { recursive: true, mode: 0o700 })
    return join(realpathSync(join(directory, id)), 'git')
  }
  /** What a later hub needs. An agent cannot write it. */
  const noteOf = (id: string) => join(folderOf(id), 'place.json')

  async function make(record: GitSession): Promise<Awaited<ReturnType<SessionGits['make']>>> {
    const { id, name, workspacePath } = record
    const workspace = realpathSync(workspacePath)
    assertNotBare(workspace)
    try {
      const repository = await repositoryFor(workspace, run)
      if (repository.is === 'unusable') throw new Error(repository.reason)
      const { shared, own } = repository
      // What an earlier start has left, if no hub has seen its end.
      await gitOfSession(record)?.exchange()
      const git = createAgentGit({ session: name, workspace, repository, directory: folderOf(id), run })
      const mounts = await git.make()
      writeFileSync(noteOf(id), JSON.stringify({ workspace, repository: { shared, own } }), { mode: 0o600 })
      return { mounts }
    } catch (error) {
      log.warn({ session: name, error: messageOf(error) }, 'could not make the git directory of a session')
      const note = `${prefix}its agent can read the repository, but not commit: ${messageOf(error)}`
      return { mounts: readOnlyGit(workspace), note }
    }
  }

  /** `undefined`: there is nothing to exchange, or nobody to exchange it with. */
  function gitOfSession({ id, name }: GitSession): AgentGit | undefined {
    if (!existsSync(noteOf(id))) return undefined
    const place = placeSchema.parse(JSON.parse(readFileSync(noteOf(id), 'utf8')))
    // A person has removed the repository or the worktree.
    if (!existsSync(place.repository.own)) return undefined
    return createAgentGit({ ...place, session: name, directory: folderOf(id), run })
  }

  function follow(record: GitSession): void {
    const { id } = record
    const git = followed.has(id) ? undefined : gitOfSession(record)
    if (!git) return
    const stopped = new AbortController()
    const folders = watchFolders(git.watched, {
      signal: stopped.signal,
      onChange: (change) => noteChange(id, change),
      onFailure: (path, error) =>
        log.warn({ session: id, path, error: messageOf(error) }, 'cannot see at once what changes in a git directory'),
    })
    followed.set(id, {
      git,
      folders,
      stopped,
      current: Promise.resolve(),
      next: undefined,
      isChanged: false,
      meetsLocks: false,
    })
    // The last hub may have missed changes.
    void exchange(id)
  }

  function noteChange(id: string, { isLock }: { readonly isLock: boolean }): void {
    const session = followed.get(id)
    if (!session || session.isChanged || (isLock && !session.meetsLocks)) return
    session.isChanged = true
    void exchangeSoon(id, session)
  }

  async function exchangeSoon(id: string, session: Followed): Promise<void> {
    const { signal } = session.stopped
    const begin = performance.now()
    await session.current
    const pause = Math.max(pauseMs, pausePerMs * (performance.now() - begin))
    await sleep(pause, undefined, { signal, ref: false }).catch(() => {})
    session.isChanged = false
    if (!signal.aborted) await exchange(id)
  }

  async function exchange(id: string): Promise<void> {
    const session = followed.get(id)
    if (!session) return
    session.next ??= session.current.then(() => {
      session.next = undefined
      session.current = exchangeNow(id, session)
      return session.current
    })
    await session.next
  }

  async function exchangeNow(id: string, session: Followed): Promise<void> {
    const { git, folders, stopped } = session
    let said: string | undefined
    session.meetsLocks = true
    try {
      // Before git looks, so that no change is missed.
      if (!stopped.signal.aborted) folders.look()
      const apart = await git.exchange()
      session.meetsLocks = false
      // A session that is over has no more to exchange.
      if (stopped.signal.aborted) rmSync(noteOf(id), { force: true })
      if (apart.length > 0) said = apart.join(' ')
    } catch (error) {
      // git says there what is wrong, and then what a person could do at a terminal.
      said = `the hub could not exchange commits with its agent: ${messageOf(error).split('\n', 1)[0]}`
      log.warn({ session: id, error: messageOf(error) }, 'could not exchange commits with an agent')
    }
    try {
      await registry.change(id, ({ lastMessage }) => {
        const message = said === undefined ? undefined : `${prefix}${said}`
        const isOld = lastMessage?.startsWith(prefix) === true
        return message === lastMessage || (message === undefined && !isOld) ? undefined : { lastMessage: message }
      })
    } catch (error) {
      log.error({ session: id, error }, 'could not store what git says about a session')
    }
  }

  return {
    make,
    follow,
    exchange,
    async end(id) {
      const session = followed.get(id)
      if (!session) return
      session.stopped.abort()
      const last = exchange(id).finally(() => followed.delete(id))
      await Promise.race([last, sleep(endWithinMs, undefined, { ref: false })])
    },
    async finish(record) {
      const session = followed.get(record.id)
      if (session) return session.next ?? session.current
      try {
        await gitOfSession(record)?.exchange()
      } catch (error) {
        throw new HubError(
          'conflict',
          `What the agent of "${record.name}" has committed cannot be brought to your repository: ${messageOf(error)} It is in ${folderOf(record.id)}. Remove that, or mend the repository, and try again.`,
        )
      }
    },
  }
}

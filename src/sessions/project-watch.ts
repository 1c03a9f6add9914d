/**
 * The settings of the projects that the agents of sessions obey. An agent may have read a file that is gone by now, so
 * everything that was found since the session started counts, also for later hubs.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { AgentName } from '../api/template.ts'
import { messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { ProjectSetting } from '../drivers/drivers.ts'
import { findProjectSettings, settingKinds } from '../drivers/drivers.ts'
import type { TemplateSource } from './template-source.ts'

export interface ProjectWatches {
  of(session: WatchedSession): ProjectWatch
  /** The session is over. */
  forget(id: string): void
}

export interface ProjectWatch {
  /** Everything that was found. `undefined`: the hub has not looked yet. */
  readonly found: readonly ProjectSetting[] | undefined
  /** Looks now, and returns what is there now. */
  look(): Promise<readonly ProjectSetting[]>
  /** Looks now. A failure is logged. */
  lookOrLog(): Promise<void>
  /** Looks if the last look is too old. */
  refresh(): void
}

export interface WatchedSession {
  readonly id: string
  readonly agent: AgentName
  /** The name of the template. Its own files are not the project's. */
  readonly template: string
  readonly workspacePath: string
}

export interface ProjectWatchesOptions {
  readonly templates: Pick<TemplateSource, 'ownFiles'>
  /** The directory with a folder for each session. */
  readonly directory: string
  readonly log: Log
  /** There is something new. */
  readonly onChange: (id: string) => void
}

/** A repository can bring more and more files. Any of them makes a session partly governed. */
const mostRemembered = 1_000
/** Between two looks while the session does something, or people look at it. */
const refreshEveryMs = 3_000

const rememberedSchema = z.array(z.object({ file: z.string(), kinds: z.array(z.enum(settingKinds)) }))

export function createProjectWatches(options: ProjectWatchesOptions): ProjectWatches {
  const watches = new Map<string, ProjectWatch>()
  return {
    of(session) {
      const watch = watches.get(session.id) ?? createWatch(session, options)
      watches.set(session.id, watch)
      return watch
    },
    forget: (id) => void watches.delete(id),
  }
}

function createWatch(session: WatchedSession, options: ProjectWatchesOptions): ProjectWatch {
  const { id, agent, template, workspacePath: workspace } = session
  const { templates, directory, log, onChange } = options
  const file = join(directory, id, 'project-settings.json')
  const known = new Map(readRemembered(file).map((setting) => [keyOf(setting), setting]))
  let hasLooked = false
  let lookedAt = Number.NEGATIVE_INFINITY
  let looking: Promise<readonly ProjectSetting[]> | undefined
  /** The look after that. All who ask meanwhile share it. */
  let next: Promise<readonly ProjectSetting[]> | undefined

  async function lookNow(): Promise<readonly ProjectSetting[]> {
    // Without the template, its files count as the project's.
    const ownFiles = await templates.ownFiles(template).catch(() => new Map<string, string>())
    const found = await findProjectSettings({ agent, workspace, ownFiles })
    const before = known.size
    for (const setting of found) if (known.size < mostRemembered) known.set(keyOf(setting), setting)
    const isNew = !hasLooked || known.size > before
    hasLooked = true
    if (known.size > before) remember()
    if (isNew) onChange(id)
    return found
  }

  function remember(): void {
    try {
      writeFileSync(file, JSON.stringify([...known.values()]), { mode: 0o600 })
    } catch (error) {
      log.warn({ session: id, error: messageOf(error) }, 'could not store the settings of a project')
    }
  }

  /** A look that has begun may have passed a new file already. */
  function look(): Promise<readonly ProjectSetting[]> {
    next ??= (looking ?? Promise.resolve([])).then(begin, begin)
    return next
  }

  function begin(): Promise<readonly ProjectSetting[]> {
    next = undefined
    lookedAt = performance.now()
    looking = lookNow().finally(() => (looking = undefined))
    return looking
  }

  async function lookOrLog(): Promise<void> {
    try {
      await look()
    } catch (error) {
      log.warn({ session: id, error: messageOf(error) }, 'could not look at the settings of a project')
    }
  }

  return {
    get found() {
      return hasLooked ? [...known.values()] : undefined
    },
    look,
    lookOrLog,
    refresh() {
      if (!looking && performance.now() - lookedAt >= refreshEveryMs) void lookOrLog()
    },
  }
}

/** A file that cannot be read is like one that an earlier hub could not write: the next look decides. */
function readRemembered(file: string): readonly ProjectSetting[] {
  try {
    return rememberedSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return []
  }
}

function keyOf({ file, kinds }: ProjectSetting): string {
  return JSON.stringify([file, kinds])
}

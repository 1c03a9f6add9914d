/** Prune: removes what is no longer in use, when a person asks, or after the days that the settings name. */
import type { PrunableKind, PruneCandidate, Pruned, PruneSource } from '../api/prune.ts'
import { messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import { createSerial } from '../base/serial.ts'
import type { Feature } from '../feature/feature.ts'
import { createPruneProvider } from './prune-tool.ts'
import type { PruneRequest } from './request.ts'

export interface PruneOptions {
  /** In the order in which they are pruned. */
  readonly sources: readonly PruneSource[]
  readonly retention: Retention
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly now?: () => Date
}

/** `undefined` keeps them forever. */
export interface Retention {
  /** Also for threads that no session continues, and for revoked tokens. */
  readonly sessionsMs: number | undefined
  readonly journalsMs: number | undefined
}

const sweepEveryMs = 10 * 60_000

export function createPrune({ sources, retention, log, now = () => new Date() }: PruneOptions): Feature {
  const oneByOne = createSerial()

  async function prune({ what, olderThanMs, isDryRun }: PruneRequest): Promise<Pruned> {
    const before = new Date(now().getTime() - olderThanMs)
    const gone: Pruned['gone'] = []
    const kept: Pruned['kept'] = []
    for (const source of sources.filter((each) => isAsked(each.what, what))) {
      for (const candidate of await source.list(before)) {
        const why = candidate.why ?? (isDryRun ? undefined : await remove(candidate))
        const item = toItem(source.what, candidate)
        if (why === undefined) gone.push(item)
        else kept.push({ ...item, why })
      }
    }
    return { dry_run: isDryRun, gone, kept }
  }

  async function sweep(): Promise<void> {
    const { sessionsMs, journalsMs } = retention
    if (sessionsMs !== undefined) await sweepOf(['sessions', 'threads', 'tokens'], sessionsMs)
    if (journalsMs !== undefined) await sweepOf(['journals'], journalsMs)
  }

  async function sweepOf(what: readonly PrunableKind[], olderThanMs: number): Promise<void> {
    const { gone, kept } = await oneByOne(() => prune({ what, olderThanMs, isDryRun: false }))
    for (const item of gone) log.info(item, 'removed what was kept long enough')
    for (const item of kept) log.warn(item, 'could not remove what was kept long enough')
  }

  const hasRetention = retention.sessionsMs !== undefined || retention.journalsMs !== undefined
  return {
    providers: [createPruneProvider((request) => oneByOne(() => prune(request)))],
    sweeps: hasRetention ? [{ everyMs: sweepEveryMs, run: sweep }] : [],
  }
}

/** The journal of a session is removed with the session. */
function isAsked(kind: PrunableKind, what: readonly PrunableKind[]): boolean {
  return what.includes(kind) && !(kind === 'journals' && what.includes('sessions'))
}

async function remove(candidate: PruneCandidate): Promise<string | undefined> {
  try {
    return await candidate.remove()
  } catch (error) {
    return messageOf(error)
  }
}

function toItem(what: PrunableKind, { id, name, since }: PruneCandidate): Pruned['gone'][number] {
  return { what, id, ...(name !== undefined && { name }), since }
}

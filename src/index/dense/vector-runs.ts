/** Fetches vectors in the background, after the words of a repository are indexed. */
import { messageOf } from '../../base/hub-error.ts'
import type { Log } from '../../base/log.ts'
import type { Embedded } from './embed-chunks.ts'

export interface VectorRuns<Source> extends Disposable {
  /** Does nothing if a run is under way. */
  start(source: Source): void
  stop(id: string): void
  /** A search used the server, or could not. */
  answered(id: string, error: string | undefined): void
  status(id: string): { readonly progress?: Embedded; readonly last_error?: string }
}

export interface VectorRunsOptions<Source> {
  /** Fetches vectors for a few seconds. */
  embed(source: Source, signal: AbortSignal): Promise<Embedded>
  readonly log: Log
}

interface Run {
  readonly controller: AbortController
  progress: Embedded
}

export function createVectorRuns<Source extends { readonly id: string }>({
  embed,
  log,
}: VectorRunsOptions<Source>): VectorRuns<Source> {
  const runs = new Map<string, Run>()
  const errors = new Map<string, string>()

  async function work(source: Source, run: Run): Promise<void> {
    const { signal } = run.controller
    try {
      do run.progress = await embed(source, signal)
      while (run.progress.done < run.progress.total && !signal.aborted)
      errors.delete(source.id)
    } catch (error) {
      if (signal.aborted) return
      errors.set(source.id, messageOf(error))
      log.warn({ repository: source.id, error }, 'The vectors of a repository could not be fetched.')
    } finally {
      if (runs.get(source.id) === run) runs.delete(source.id)
    }
  }

  function stop(id: string): void {
    runs.get(id)?.controller.abort()
    runs.delete(id)
    errors.delete(id)
  }

  return {
    start(source) {
      if (runs.has(source.id)) return
      const run = { controller: new AbortController(), progress: { done: 0, total: 0 } }
      runs.set(source.id, run)
      void work(source, run)
    },
    stop,
    answered(id, error) {
      if (error === undefined) errors.delete(id)
      else errors.set(id, error)
    },
    status(id) {
      const progress = runs.get(id)?.progress
      const error = errors.get(id)
      return { ...(progress && { progress }), ...(error !== undefined && { last_error: error }) }
    },
    [Symbol.dispose]() {
      for (const id of runs.keys()) stop(id)
    },
  }
}

/**
 * The folders that confined programs of this hub may have written, from all sandboxes that it ever made. A later sandbox
 * trusts no link in them. So the list outlives the records of sessions.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { HubError, messageOf } from '../base/hub-error.ts'

export interface AgentPlaces {
  /** Without links in their paths. */
  all(): readonly string[]
  /** To be called before the program starts. */
  add(paths: readonly string[]): void
}

const fileSchema = z.array(z.string())

/** Throws if the list cannot be read or kept: then nobody knows which links to trust. */
export function createAgentPlaces(file: string): AgentPlaces {
  let known: ReadonlySet<string> | undefined

  function load(): ReadonlySet<string> {
    try {
      known ??= new Set(existsSync(file) ? fileSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : [])
      return known
    } catch (error) {
      throw unusable('read', error)
    }
  }

  function unusable(verb: string, error: unknown): HubError {
    const message = `"sandbox": ${file} cannot be ${verb}, so no session can be confined: ${messageOf(error)}`
    return new HubError('unavailable', message, { cause: error })
  }

  return {
    all: () => [...load()],
    add(paths) {
      const before = load()
      const added = paths.filter((path) => !before.has(path))
      if (added.length === 0) return
      const next = new Set([...before, ...added])
      try {
        writeFileSync(`${file}.new`, JSON.stringify([...next]), { mode: 0o600 })
        renameSync(`${file}.new`, file)
      } catch (error) {
        throw unusable('written', error)
      }
      known = next
    },
  }
}

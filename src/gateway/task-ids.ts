/**
 * The task ids that the clients of one session see. They are the upstream's own ids. Only if another mount already has
 * a task with the same id does the later one get its mount's name as a prefix, in every message that names it.
 */
import { isReturnable, TooLongToReturn } from '../base/returned-text.ts'
import { isRecord } from '../mcp/mcp.ts'
import type { Params } from '../mcp/mcp.ts'

export interface TaskIds {
  /** Adds a mount. Its ids are freed when it is disposed of. */
  join(mount: string): MountTasks
}

export interface MountTasks extends Disposable {
  /** Whether the task with this shown id is known to belong to this mount. */
  owns(shown: string): boolean
  /**
   * Whether this mount may have an older task with this id. False if the mount shows its own task of that id under
   * another id.
   */
  mayOwn(shown: string): boolean
  /** Converts a message of the upstream to shown ids. */
  shown(message: Params): Params
  /** Converts a message of a client to the upstream's own ids. */
  original(message: Params): Params
  /** The mount has answered this request. If the request names a task, the task belongs to the mount from now on. */
  answered(asked: Params): void
}

interface Ids {
  readonly shownOf: Map<string, string>
  readonly originalOf: Map<string, string>
  characters: number
}

/** Per mount. The oldest are dropped. */
const maxTasks = 10_000
/** Of all ids of a mount, as the upstream made them up. */
const maxCharacters = 2 * 1024 * 1024

export function createTaskIds(): TaskIds {
  const joined = new Set<Ids>()
  const isTaken = (shown: string) => joined.values().some(({ originalOf }) => originalOf.has(shown))

  return {
    join(mount) {
      const own: Ids = { shownOf: new Map(), originalOf: new Map(), characters: 0 }
      const { shownOf, originalOf } = own
      joined.add(own)

      function show(original: string): string {
        if (!isReturnable(original)) return original
        const known = shownOf.get(original)
        if (known !== undefined) return known
        let shown = original
        while (isTaken(shown)) shown = `${mount}:${shown}`
        shownOf.set(original, shown)
        originalOf.set(shown, original)
        own.characters += original.length
        while (shownOf.size > maxTasks || own.characters > maxCharacters) dropOldest(own)
        return shown
      }

      function short(id: string): string {
        if (isReturnable(id)) return id
        throw new TooLongToReturn(`A task id of the mount "${mount}"`)
      }

      return {
        owns: (shown) => originalOf.has(shown),
        mayOwn: (shown) => (shownOf.get(shown) ?? shown) === shown,
        shown: (message) => withIds(message, show),
        original: (message) => withIds(message, (shown) => originalOf.get(shown) ?? short(shown)),
        answered(asked) {
          if (typeof asked['taskId'] === 'string') show(asked['taskId'])
        },
        [Symbol.dispose]: () => void joined.delete(own),
      }
    },
  }
}

function dropOldest(own: Ids): void {
  const [oldest] = own.shownOf
  if (!oldest) return
  const [original, shown] = oldest
  own.shownOf.delete(original)
  own.originalOf.delete(shown)
  own.characters -= original.length
}

const relatedTask = 'io.modelcontextprotocol/related-task'

/**
 * Replaces the ids in every place where a message of 2025-11-25, or of the 2026-07-28 extension, names a task. Most
 * messages name none and are returned unchanged.
 */
function withIds(message: Params, idOf: (id: string) => string): Params {
  const { taskId, task, tasks, _meta: meta, inputRequests: questions } = message
  const isRelated = isRecord(meta) && relatedTask in meta
  if (!isRelated && (taskId ?? task ?? tasks ?? questions) === undefined) return message
  const named = (value: unknown) => (isRecord(value) ? withId(value, idOf) : value)
  const changed = {
    ...(typeof taskId === 'string' && { taskId: idOf(taskId) }),
    ...(isRecord(task) && { task: withId(task, idOf) }),
    ...(Array.isArray(tasks) && { tasks: tasks.map(named) }),
    ...(isRelated && { _meta: { ...meta, [relatedTask]: named(meta[relatedTask]) } }),
    ...(isRecord(questions) && { inputRequests: mapValues(questions, (question) => inQuestion(question, idOf)) }),
  }
  return Object.keys(changed).length === 0 ? message : { ...message, ...changed }
}

function withId(named: Params, idOf: (id: string) => string): Params {
  const { taskId } = named
  return typeof taskId === 'string' ? { ...named, taskId: idOf(taskId) } : named
}

function inQuestion(question: unknown, idOf: (id: string) => string): unknown {
  if (!isRecord(question) || !isRecord(question['params'])) return question
  return { ...question, params: withIds(question['params'], idOf) }
}

function mapValues(values: Params, map: (value: unknown) => unknown): Params {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]))
}

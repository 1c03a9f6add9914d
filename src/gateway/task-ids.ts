/**
 * The ids by which the clients of one session know the tasks of its mounts: the upstream's own. Only where another mount
 * has a task of that id already does the later one get the name of its mount before it, in everything that names it.
 */
import type { Params, Upstream } from '../mcp/mcp.ts'
import { isRecord } from '../mcp/mcp.ts'

export interface TaskIds {
  /** Those of one mount, until it is disposed of. */
  join(mount: string): MountTasks
}

export interface MountTasks extends Disposable {
  /** A task that is shown under this id is known to be this mount's. */
  owns(shown: string): boolean
  /** Perhaps it has one from before. What it shows under another id, this one does not mean. */
  mayOwn(shown: string): boolean
  /** What the upstream says, with ids as clients know them. */
  shown(said: Params): Params
  /** The same upstream, for those who know its tasks by the ids that are shown. */
  over(upstream: Requester): Requester
}

type Requester = Pick<Upstream, 'request'>

interface Ids {
  readonly shownOf: Map<string, string>
  readonly originalOf: Map<string, string>
}

/** Of each mount; the oldest go. */
const maxTasks = 10_000

export function createTaskIds(): TaskIds {
  const joined = new Set<Ids>()
  const isTaken = (shown: string) => joined.values().some(({ originalOf }) => originalOf.has(shown))

  return {
    join(mount) {
      const own: Ids = { shownOf: new Map(), originalOf: new Map() }
      const { shownOf, originalOf } = own
      joined.add(own)

      function show(original: string): string {
        const known = shownOf.get(original)
        if (known !== undefined) return known
        let shown = original
        while (isTaken(shown)) shown = `${mount}:${shown}`
        shownOf.set(original, shown)
        originalOf.set(shown, original)
        if (shownOf.size > maxTasks) dropOldest(own)
        return shown
      }

      const shownIn = (said: Params) => withIds(said, show)
      return {
        owns: (shown) => originalOf.has(shown),
        mayOwn: (shown) => (shownOf.get(shown) ?? shown) === shown,
        shown: shownIn,
        over: (upstream) => ({
          async request(method, params, { onNotification, onAsk, ...request }) {
            const asked = withIds(params, (shown) => originalOf.get(shown) ?? shown)
            const result = await upstream.request(method, asked, {
              ...request,
              ...(onNotification && { onNotification: (name, told) => onNotification(name, told && shownIn(told)) }),
              ...(onAsk && {
                onAsk: ({ params: question, ...ask }, ...asking) =>
                  onAsk({ ...ask, ...(question && { params: shownIn(question) }) }, ...asking),
              }),
            })
            // Whoever answers for a task has it, also where the answer does not name it.
            if (typeof asked['taskId'] === 'string') show(asked['taskId'])
            return isRecord(result) ? shownIn(result) : result
          },
        }),
        [Symbol.dispose]: () => void joined.delete(own),
      }
    },
  }
}

function dropOldest({ shownOf, originalOf }: Ids): void {
  const [oldest] = shownOf
  if (!oldest) return
  shownOf.delete(oldest[0])
  originalOf.delete(oldest[1])
}

const relatedTask = 'io.modelcontextprotocol/related-task'

/** Wherever a message of 2025-11-25, or of the extension of 2026-07-28, names a task. */
function withIds(message: Params, idOf: (id: string) => string): Params {
  const { taskId, task, tasks, _meta: meta, inputRequests: questions } = message
  const named = (value: unknown) => (isRecord(value) ? withId(value, idOf) : value)
  const changed = {
    ...(typeof taskId === 'string' && { taskId: idOf(taskId) }),
    ...(isRecord(task) && { task: withId(task, idOf) }),
    ...(Array.isArray(tasks) && { tasks: tasks.map(named) }),
    ...(isRecord(meta) && relatedTask in meta && { _meta: { ...meta, [relatedTask]: named(meta[relatedTask]) } }),
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

/** The tasks that the calls of one mount have begun, so that what asks for them later finds the mount. */
import { dropOldest } from '../base/drop-oldest.ts'
import { isRecord } from '../mcp/mcp.ts'

export interface OwnTasks {
  /** A result that the mount gave. */
  note(result: object): void
  has(taskId: string): boolean
}

const maxTasks = 10_000

export function createOwnTasks(): OwnTasks {
  const tasks = new Set<string>()
  return {
    note(result) {
      const task = taskOf(result)
      if (task === undefined) return
      tasks.add(task)
      dropOldest(tasks, maxTasks)
    },
    has: (taskId) => tasks.has(taskId),
  }
}

/** 2025-11-25 wraps it, the extension of 2026-07-28 does not. */
function taskOf(result: object): string | undefined {
  if ('task' in result && isRecord(result.task)) return textOf(result.task['taskId'])
  return 'resultType' in result && result.resultType === 'task' && 'taskId' in result
    ? textOf(result.taskId)
    : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

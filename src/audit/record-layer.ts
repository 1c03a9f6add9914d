/** Every writing call is an event before it runs, and another when it is done. */
import { recordedArguments } from '../base/recorded-arguments.ts'
import type { Log } from '../base/log.ts'
import type { Principal } from '../base/principal.ts'
import { isDiskFailure } from '../base/sqlite-file.ts'
import type { EventLog } from '../events/events.ts'
import type { Layer, Tool } from '../mcp/mcp.ts'

export interface RecordLayerOptions {
  readonly events: EventLog
  readonly log: Log
}

/** What ends or interrupts what runs. On a disk that takes no event, a person needs these most. */
const goUnrecorded: ReadonlySet<string> = new Set([
  'kill_session',
  'cancel_job',
  'send_keys',
  'send_text',
  'send_input',
])

export function createRecordLayer({ events, log }: RecordLayerOptions): Layer {
  /** Calls that went on without an event, until the log is told how many. */
  let unrecorded = 0

  /** `undefined`: it could not be written, and the call goes on all the same. */
  async function append(tool: Tool, { role }: Principal, event: Parameters<EventLog['append']>[0]) {
    try {
      return await events.append(event)
    } catch (error) {
      if (role !== 'human' || !goUnrecorded.has(tool.name) || !isDiskFailure(error)) throw error
      log.error({ tool: tool.name, type: event.type, error }, 'a person’s call goes on without its event')
      return undefined
    }
  }

  async function tellUnrecorded(): Promise<void> {
    const calls = unrecorded
    if (calls === 0) return
    unrecorded = 0
    try {
      await events.append({ type: 'calls-unrecorded', payload: { calls } })
    } catch {
      unrecorded += calls
    }
  }

  return async (tool, args, call, next) => {
    if (tool.annotations.readOnlyHint === true) return next()
    const { correlation, caller } = call
    const common = { correlation, ...(caller.session !== undefined && { session: caller.session }) }
    const requested = await append(tool, caller, {
      ...common,
      type: 'tool-called',
      payload: {
        tool: tool.name,
        arguments: recordedArguments(args, tool.unrecorded),
        role: caller.role,
        token_id: caller.tokenId,
      },
    })
    if (!requested) {
      unrecorded++
      return next()
    }
    await tellUnrecorded()
    const startedAt = performance.now()
    const record = (outcome: Record<string, unknown>) =>
      append(tool, caller, {
        ...common,
        type: 'tool-answered',
        parent: requested.id,
        payload: { tool: tool.name, ms: Math.round((performance.now() - startedAt) * 1000) / 1000, ...outcome },
      })
    try {
      const result = await next()
      await record({
        outcome: 'isError' in result && result.isError ? 'error' : 'ok',
        bytes: JSON.stringify(result).length,
      })
      return result
    } catch (error) {
      await record({ outcome: 'failed', error })
      throw error
    }
  }
}

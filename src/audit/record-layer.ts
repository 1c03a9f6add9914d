/** Records every writing call with one event before it runs and another when it is done. */
import { HubError } from '../base/hub-error.ts'
import { jsonSize } from '../base/json-size.ts'
import type { Log } from '../base/log.ts'
import type { Principal } from '../base/principal.ts'
import { recordedArguments } from '../base/recorded-arguments.ts'
import { isDiskFailure } from '../base/sqlite-file.ts'
import type { CallOutcome, CallRecord, EventLog } from '../events/events.ts'
import { openCallRecord } from '../events/events.ts'
import type { Layer, ToolInfo } from '../mcp/mcp.ts'
import { metaOf, traceContextOf } from '../mcp/mcp.ts'

export interface RecordLayerOptions {
  readonly events: EventLog
  readonly log: Log
}

/**
 * Tools that stop or interrupt a program, or take a permission away. A person needs them most when the log is full or
 * locked.
 */
const allowedUnrecorded: ReadonlySet<string> = new Set([
  'kill_session',
  'interrupt_session',
  'cancel_job',
  'send_keys',
  'send_text',
  'send_input',
  'revoke_token',
  'revoke_grant',
])

export function createRecordLayer({ events, log }: RecordLayerOptions): Layer {
  /** Calls that ran without an event, until `calls-unrecorded` is written. */
  let unrecorded = 0

  function noteUnrecorded(tool: ToolInfo, error: unknown): void {
    log.error({ tool: tool.name, error }, 'a person’s call runs without its event')
    unrecorded++
  }

  async function reportUnrecorded(): Promise<void> {
    const calls = unrecorded
    if (calls === 0) return
    unrecorded = 0
    try {
      await events.append({ type: 'calls-unrecorded', payload: { calls } })
    } catch {
      unrecorded += calls
    }
  }

  return async (operation, call, next) => {
    if (operation.kind !== 'tool') return next()
    const { tool, arguments: args } = operation
    if (tool.annotations.readOnlyHint === true || tool.isPassThrough) return next()
    const { correlation, caller } = call
    const callerSpan = traceContextOf(metaOf(call.params))?.spanId
    const opening = openCallRecord(events, {
      correlation,
      session: caller.session,
      request: {
        tool: tool.name,
        arguments: recordedArguments(args, tool.unrecorded),
        role: caller.role,
        token_id: caller.tokenId,
        ...(callerSpan !== undefined && { caller_span: callerSpan }),
      },
    })
    const record = mayRunUnrecorded(tool, caller, args) ? await unlessLocked(events, opening) : await opening
    if (record) void reportUnrecorded()
    const end = (outcome: CallOutcome) => {
      if (record) return record.end(outcome)
      // The event may still be written, later than its call.
      opening.then(
        (late) => late.end(outcome),
        (error: unknown) => noteUnrecorded(tool, error),
      )
    }
    try {
      const result = await next(record ? call.with({ event: record.event }) : call)
      end({ outcome: 'isError' in result && result.isError ? 'error' : 'ok', bytes: jsonSize(result) })
      return result
    } catch (error) {
      end({ outcome: 'failed', error })
      throw error
    }
  }
}

function mayRunUnrecorded(tool: ToolInfo, { role }: Principal, args: Readonly<Record<string, unknown>>): boolean {
  if (role !== 'human') return false
  return allowedUnrecorded.has(tool.name) || (tool.name === 'decide_approval' && args['decision'] !== 'approve')
}

/** `undefined`: the event is not written yet, because the log is full, locked or broken. */
async function unlessLocked(events: EventLog, opening: Promise<CallRecord>): Promise<CallRecord | undefined> {
  try {
    return await events.unlessLocked(opening)
  } catch (error) {
    if (isDiskFailure(error) || (error instanceof HubError && error.code === 'busy')) return undefined
    throw error
  }
}

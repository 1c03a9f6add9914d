/** Records every writing call with one event before it runs and another when it is done. */
import { jsonSize } from '../base/json-size.ts'
import type { Log } from '../base/log.ts'
import type { Principal } from '../base/principal.ts'
import { recordedArguments } from '../base/recorded-arguments.ts'
import { isDiskFailure } from '../base/sqlite-file.ts'
import type { CallRecord, EventLog, RecordedCall } from '../events/events.ts'
import { openCallRecord } from '../events/events.ts'
import type { Layer, ToolInfo } from '../mcp/mcp.ts'
import { metaOf, traceContextOf } from '../mcp/mcp.ts'

export interface RecordLayerOptions {
  readonly events: EventLog
  readonly log: Log
}

/** Tools that stop or interrupt a program, or revoke a token. A person needs them most when the disk is full. */
const allowedUnrecorded: ReadonlySet<string> = new Set([
  'kill_session',
  'cancel_job',
  'send_keys',
  'send_text',
  'send_input',
  'revoke_token',
])

export function createRecordLayer({ events, log }: RecordLayerOptions): Layer {
  /** Calls that ran without an event, until `calls-unrecorded` is written. */
  let unrecorded = 0

  /** `undefined`: the event could not be written, and the call may run without it. */
  async function openRecord(tool: ToolInfo, { role }: Principal, call: RecordedCall): Promise<CallRecord | undefined> {
    try {
      return await openCallRecord(events, call)
    } catch (error) {
      if (role !== 'human' || !allowedUnrecorded.has(tool.name) || !isDiskFailure(error)) throw error
      log.error({ tool: tool.name, error }, 'a person’s call runs without its event')
      return undefined
    }
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
    const record = await openRecord(tool, caller, {
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
    if (!record) {
      unrecorded++
      return next()
    }
    await reportUnrecorded()
    try {
      const result = await next(call.with({ event: record.event }))
      record.end({ outcome: 'isError' in result && result.isError ? 'error' : 'ok', bytes: jsonSize(result) })
      return result
    } catch (error) {
      record.end({ outcome: 'failed', error })
      throw error
    }
  }
}

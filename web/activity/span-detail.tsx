/** One span: the decision, the route, the times, the arguments and the result. */
import type { Session } from '../../src/api/session.ts'
import { PageLink } from '../app/link.tsx'
import { asArguments } from '../approvals/question.ts'
import { spentText } from '../parts/amounts.ts'
import { Icon } from '../parts/icons.tsx'
import { DecisionMark, type DecisionMarkName } from '../parts/marks.tsx'
import { addressOf } from '../parts/session-state.ts'
import { clock } from '../parts/time.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { findCall } from '../session/same-call.ts'
import { resultText } from '../session/tool-call.tsx'
import type { ToolCallItem } from '../session/thread-items.ts'
import { useThread } from '../session/use-thread.ts'
import { JsonText, writeJson } from '../parts/json-text.tsx'
import { type SpanRow, shortRule, wordIn } from './waterfall.ts'

export interface SpanDetailProps {
  readonly row: SpanRow
  readonly sessions: readonly Session[]
}

export function SpanDetail({ row, sessions }: SpanDetailProps) {
  const { span } = row
  const asked = row.kind === 'ask' ? span.spans.find(({ type }) => type === 'turn-started') : undefined
  const route = span.route ?? asked?.route
  const session = sessions.find(({ id }) => id === (asked?.session ?? span.session))
  const approval = row.state === 'held' ? approvalOf(row) : undefined
  const start = Date.parse(span.at)
  const facts = [
    route !== undefined && `route ${route}`,
    span.ms === undefined ? `since ${clock(start)}` : `${clock(start)} to ${clock(start + span.ms)}`,
    row.hop > 0 && `hop ${row.hop}`,
    row.usage && spentText(row.usage),
  ].filter((fact) => typeof fact === 'string')
  return (
    <section className="insp" aria-label="Span">
      <div className="row insp-h">
        <Icon
          name={
            row.kind === 'turn' ? 'sessions' : row.kind === 'model' ? 'model' : row.kind === 'ask' ? 'session' : 'shell'
          }
          size={14}
        />
        <span className={row.kind === 'turn' ? 'w6 nowrap' : 'mono s12 cut'}>
          <VisibleText text={row.name} />
        </span>
        <DecisionChip row={row} />
        <span className="s12 t2 num cut desk-only">
          {facts.map((fact, index) => (
            <span key={fact}>
              {index > 0 && <span className="sep" />}
              <VisibleText text={fact} />
            </span>
          ))}
        </span>
        <span className="grow" />
        {approval !== undefined && (
          <PageLink className="btn" to={{ is: 'approvals', id: approval }}>
            Answer
          </PageLink>
        )}
        {session && (
          <PageLink className="btn ghost" to={{ is: 'session', name: addressOf(session, sessions) }}>
            Open session
          </PageLink>
        )}
      </div>
      {row.kind === 'tool' || row.kind === 'ask' ? <ToolSpan row={row} /> : <OtherSpan row={row} />}
    </section>
  )
}

function approvalOf({ span }: SpanRow): string | undefined {
  const asked = span.spans.find(({ type }) => type === 'approval-requested')
  return typeof asked?.payload['approval'] === 'string' ? asked.payload['approval'] : undefined
}

function DecisionChip({ row: { decision, state } }: { readonly row: SpanRow }) {
  if (!decision?.effect) return null
  const by = decision.rule === undefined ? 'by default' : `by ${shortRule(decision.rule)}`
  const [mark, tint, words] = ((): readonly [DecisionMarkName, string, string] => {
    if (state === 'held') return ['ask', 'wait', `asked ${by}`]
    if (decision.effect === 'ask') {
      return state === 'denied' ? ['deny', 'stop', `asked ${by}, denied`] : ['allow', 'go', `asked ${by}, allowed`]
    }
    if (decision.effect === 'allow')
      return ['allow', 'go', `allowed ${decision.grant === undefined ? by : 'by a grant'}`]
    return [decision.effect, 'stop', `${decision.effect === 'deny' ? 'denied' : 'aborted'} ${by}`]
  })()
  const title = [decision.rule, decision.reason].filter((part) => part !== undefined).join(': ')
  return (
    <span className={`chip ${tint}`} title={title}>
      <DecisionMark name={mark} size={10} />
      {words}
    </span>
  )
}

function ToolSpan({ row }: { readonly row: SpanRow }) {
  const { thread } = row.span
  return thread === undefined ? <InAndOut row={row} call={undefined} /> : <ToolSpanInThread row={row} thread={thread} />
}

/** The log has only the size of a result, and leaves out what people type. The thread has both. */
function ToolSpanInThread({ row, thread }: { readonly row: SpanRow; readonly thread: string }) {
  const items = useThread(thread).value?.items ?? []
  const calls = items.filter((item): item is ToolCallItem => item.is === 'call')
  const { at, payload } = row.span
  const args = asArguments(payload['arguments'])
  return <InAndOut row={row} call={findCall(calls, { at, tool: String(payload['tool']), arguments: args })} />
}

function InAndOut({ row, call }: { readonly row: SpanRow; readonly call: ToolCallItem | undefined }) {
  const args = call?.parameters ?? asArguments(row.span.payload['arguments'])
  return (
    <div className="io">
      <div>
        <span className="lab">Arguments</span>
        <Well label="Arguments" text={writeJson(args)} isJson />
      </div>
      <div>
        <span className="lab">Result</span>
        <Well label="Result" {...readable(resultOf(row, call))} />
      </div>
    </div>
  )
}

/** The answer of another session, or JSON in lines. Anything else stays as it is. */
function readable(text: string): { readonly text: string; readonly isJson: boolean } {
  if (!text.startsWith('{') && !text.startsWith('[')) return { text, isJson: false }
  try {
    const value: unknown = JSON.parse(text)
    const { answer } = asArguments(value)
    return typeof answer === 'string' ? { text: answer, isJson: false } : { text: writeJson(value), isJson: true }
  } catch {
    return { text, isJson: false }
  }
}

function resultOf({ span, state, decision }: SpanRow, call: ToolCallItem | undefined): string {
  if (state === 'held') return 'It waits for your answer.'
  if (state === 'denied') return decision?.reason ?? 'It was not run.'
  if (call?.outcome.is === 'success') return resultText(call.outcome.result)
  if (call?.outcome.is === 'error') return call.outcome.error
  return answerText(span.spans.findLast(({ type }) => type === 'tool-answered')?.payload)
}

function answerText(answer: Readonly<Record<string, unknown>> | undefined): string {
  if (!answer) return 'It has not answered yet.'
  const { error, bytes, outcome } = answer
  if (error !== undefined) return typeof error === 'string' ? error : JSON.stringify(error, null, 2)
  return typeof bytes === 'number' ? `${String(outcome)}, ${bytes.toLocaleString('en')} bytes` : String(outcome)
}

function OtherSpan({ row: { kind, span, note } }: { readonly row: SpanRow }) {
  const end = span.spans.find(({ type }) => type === 'turn-ended' || type === 'model-answered')
  const { error, reason } = end?.payload ?? {}
  const outcome = end && (wordIn(end, 'status') || wordIn(end, 'finish_reason'))
  const told = kind === 'turn' ? note : `${wordIn(span, 'model') || (span.provider ?? '')} ${note}`.trim()
  const trouble = [reason, error].filter((part) => part !== undefined)
  return (
    <div className="io">
      <div>
        <span className="lab">{kind === 'turn' ? 'Prompt' : 'Model'}</span>
        <Well label={kind === 'turn' ? 'Prompt' : 'Model'} text={told} />
      </div>
      <div>
        <span className="lab">End</span>
        <Well
          label="End"
          text={
            trouble.length > 0
              ? trouble.map((part) => (typeof part === 'string' ? part : JSON.stringify(part, null, 2))).join('\n')
              : outcome || (span.outcome === 'running' ? 'It has not ended.' : '')
          }
        />
      </div>
    </div>
  )
}

const longest = 4_000

interface WellProps {
  readonly label: string
  readonly text: string
  readonly isJson?: boolean
}

function Well({ label, text, isJson = false }: WellProps) {
  const shown = text.length > longest ? `${text.slice(0, longest)}…` : text
  return (
    <pre className="code well wrap" tabIndex={0} role="region" aria-label={label}>
      {isJson ? <JsonText text={shown} /> : <VisibleText text={shown} />}
    </pre>
  )
}

/** A call of the agent: what was decided, its arguments, its result and its time. */
import { Suspense, lazy, useState } from 'react'
import { ArgumentTable } from '../approvals/asked-call.tsx'
import { asArguments } from '../approvals/question.ts'
import { Icon, type IconName } from '../parts/icons.tsx'
import { DecisionMark, type DecisionMarkName } from '../parts/marks.tsx'
import { tookText } from '../parts/time.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { type CallOutcome, type ToolCallItem, summaryOf } from './thread-items.ts'

const Diff = lazy(async () => ({ default: (await import('../parts/diff.tsx')).Diff }))

export function ToolCall({ call }: { readonly call: ToolCallItem }) {
  const { name, parameters, outcome } = call
  const [isOpen, setIsOpen] = useState(false)
  const { mark, label } = decisionOf(outcome)
  return (
    <div className={isSessionCall(name) ? 'call siding' : 'call'}>
      <button className="call-h" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <span className="node">
          <DecisionMark name={mark} label={label} />
        </span>
        <Icon name={iconOf(name)} size={14} />
        <code className="cn cut">
          <VisibleText text={name} />
        </code>
        <span className="cut cs">
          <VisibleText text={summaryOf(parameters)} />
        </span>
        <span className="num s12 t3 ct">{outcome.is === 'running' ? 'running' : tookText(outcome.ms)}</span>
      </button>
      {isOpen && (
        <div className="call-b">
          {isSessionCall(name) && (
            <>
              <i className="sd a" />
              <i className="sd b" />
            </>
          )}
          <CallArguments parameters={parameters} />
          <CallResult outcome={outcome} />
        </div>
      )}
    </div>
  )
}

function CallArguments({ parameters }: { readonly parameters: ToolCallItem['parameters'] }) {
  const text = (...names: readonly string[]) =>
    names.map((name) => parameters[name]).find((each) => typeof each === 'string')
  const [before, after] = [text('old_string', 'oldString', 'old_text'), text('new_string', 'newString', 'new_text')]
  if (before === undefined || after === undefined) return <ArgumentTable args={parameters} />
  return (
    <div className="well clip">
      <Suspense>
        <Diff before={before} after={after} />
      </Suspense>
    </div>
  )
}

const longest = 4_000

function CallResult({ outcome }: { readonly outcome: CallOutcome }) {
  const [isWhole, setIsWhole] = useState(false)
  if (outcome.is === 'running') return null
  const text = outcome.is === 'error' ? outcome.error : resultText(outcome.result)
  if (text === '') return null
  const isCut = !isWhole && text.length > longest
  return (
    <>
      <pre
        className={outcome.is === 'error' ? 'code wrap well call-result y-x' : 'code wrap well call-result'}
        tabIndex={0}
        aria-label="Result"
      >
        <VisibleText text={isCut ? text.slice(0, longest) : text} />
      </pre>
      {isCut && (
        <button className="more t2 s12" onClick={() => setIsWhole(true)}>
          Show {(text.length - longest).toLocaleString('en')} more characters
        </button>
      )}
    </>
  )
}

/** The text of an MCP result, or the value as JSON. */
export function resultText(result: unknown): string {
  if (typeof result === 'string') return result
  if (result === undefined || result === null) return ''
  const content = Array.isArray(result) ? result : asArguments(result)['content']
  if (Array.isArray(content)) {
    const texts = content.map((part: unknown) => asArguments(part)['text']).filter((part) => typeof part === 'string')
    if (texts.length > 0) return texts.join('\n')
  }
  return JSON.stringify(result, null, 2)
}

function decisionOf(outcome: CallOutcome): { readonly mark: DecisionMarkName; readonly label: string } {
  if (outcome.is === 'running') return { mark: 'running', label: 'Running' }
  if (outcome.is === 'success') return { mark: 'allow', label: 'Allowed' }
  const isDenied = /\b(denied|not allowed|refused)\b/i.test(outcome.error.slice(0, 200))
  return isDenied ? { mark: 'deny', label: 'Denied' } : { mark: 'abort', label: 'Failed' }
}

function isSessionCall(name: string): boolean {
  return /sessions_(ask|code_advice|tests_generate|refactor_apply)/.test(name)
}

const icons: readonly (readonly [RegExp, IconName])[] = [
  [/sessions_/, 'session'],
  [/bash|shell|exec|run|terminal/i, 'shell'],
  [/edit|write|patch|replace/i, 'edit'],
  [/grep|search|find|glob|list/i, 'search'],
  [/read|file|view|cat/i, 'file'],
]

function iconOf(name: string): IconName {
  return icons.find(([pattern]) => pattern.test(name))?.[1] ?? 'plug'
}

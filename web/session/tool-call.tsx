/** A call of the agent: what was decided and by which rule, its arguments, its result and its time. */
import { Suspense, lazy, useMemo, useState } from 'react'
import { PageLink } from '../app/link.tsx'
import { ArgumentTable } from '../approvals/asked-call.tsx'
import { asArguments } from '../approvals/question.ts'
import { Diff, PatchDiff } from '../parts/diff.tsx'
import { countLines, linesBetween, linesOfPatch } from '../parts/diff-lines.ts'
import { Icon, type IconName } from '../parts/icons.tsx'
import { DecisionMark, type DecisionMarkName } from '../parts/marks.tsx'
import { tookText } from '../parts/time.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { type CallDecision, decidedBy } from './call-decisions.ts'
import { type FileEdit, fileEditsOf } from './file-edits.ts'
import type { OpenFile } from './open-file.ts'
import { type CallOutcome, type ToolCallItem, summaryOf } from './thread-items.ts'

const Markdown = lazy(() => import('../parts/markdown.tsx'))

export interface ToolCallProps {
  readonly call: ToolCallItem
  readonly decision: CallDecision | undefined
  readonly isToggled: boolean
  onToggle(): void
  readonly openFile: OpenFile
}

export function ToolCall({ call, decision, isToggled, onToggle, openFile }: ToolCallProps) {
  const { name, parameters, outcome } = call
  const edits = useMemo(() => fileEditsOf(name, parameters), [name, parameters])
  const isSiding = isSessionCall(name)
  // Edits and the words of other sessions are what people read first.
  const isOpen = (edits.length > 0 || isSiding) !== isToggled
  const { mark, label } = markOf(outcome, decision)
  const rule = decision?.rule === undefined ? undefined : decidedBy(decision.rule)
  return (
    <div className={isSiding ? 'call siding' : 'call'}>
      <button className="call-h" aria-expanded={isOpen} onClick={onToggle}>
        <span className="node">
          <DecisionMark name={mark} label={label} />
        </span>
        <Icon name={iconOf(name)} size={14} />
        <code className="cn cut">
          <VisibleText text={name} />
        </code>
        <span className="cut cs">
          {edits.length > 0 ? <EditSummary edits={edits} /> : <VisibleText text={summaryOf(parameters)} />}
        </span>
        {rule && (
          <span className="cd cut s12 t3" title={rule.long}>
            {rule.short}
          </span>
        )}
        <span className="num s12 t3 ct">{timeOf(outcome)}</span>
      </button>
      {isOpen && (
        <div className="call-b">
          {isSiding ? (
            <SessionAnswer call={call} openFile={openFile} />
          ) : (
            <>
              {edits.map((edit, index) => (
                <EditView key={index} edit={edit} openFile={openFile} />
              ))}
              {edits.length === 0 && <ArgumentTable args={parameters} />}
              <CallResult outcome={outcome} isQuiet={edits.length > 0} />
            </>
          )}
        </div>
      )}
    </div>
  )
}

/** The words of another session: the track leaves the main line and comes back. */
function SessionAnswer({ call, openFile }: { readonly call: ToolCallItem; readonly openFile: OpenFile }) {
  const { parameters, outcome } = call
  const { session, text } = parameters
  return (
    <>
      <i className="sd a" />
      <i className="sd b" />
      {typeof text === 'string' && (
        <p className="t2 said quote">
          <VisibleText text={text} />
        </p>
      )}
      {outcome.is === 'success' && (
        <Suspense fallback={<p className="said">{answerText(outcome.result)}</p>}>
          <Markdown text={answerText(outcome.result)} onCite={openFile} />
        </Suspense>
      )}
      {outcome.is === 'error' && <CallResult outcome={outcome} isQuiet={false} />}
      {typeof session === 'string' && (
        <p className="s12 t3">
          {outcome.is === 'running' ? 'Asked ' : 'Answered by '}
          <PageLink className="link" to={{ is: 'session', name: session }}>
            <VisibleText text={session} />
          </PageLink>
        </p>
      )}
    </>
  )
}

function EditSummary({ edits }: { readonly edits: readonly FileEdit[] }) {
  const { added, removed } = useMemo(() => countLines(edits.flatMap(linesOf)), [edits])
  const paths = new Set(edits.map(({ path }) => path))
  return (
    <>
      <VisibleText text={paths.size === 1 ? [...paths][0]! : `${paths.size} files`} />{' '}
      <span className="go">+{added}</span> <span className="stop">−{removed}</span>
    </>
  )
}

function linesOf(edit: FileEdit) {
  return edit.is === 'patch' ? linesOfPatch(edit.patch) : linesBetween(edit.before, edit.after)
}

function EditView({ edit, openFile }: { readonly edit: FileEdit; readonly openFile: OpenFile }) {
  return (
    <div className="well clip edit-view">
      {edit.path !== '' && (
        <button className="edit-path cut" onClick={() => openFile({ path: edit.path })}>
          <VisibleText text={edit.path} />
        </button>
      )}
      {edit.is === 'patch' ? <PatchDiff patch={edit.patch} /> : <Diff before={edit.before} after={edit.after} />}
    </div>
  )
}

const longest = 4_000

/** `isQuiet`: a success needs no words, since what was done is shown already. */
function CallResult({ outcome, isQuiet }: { readonly outcome: CallOutcome; readonly isQuiet: boolean }) {
  const [isWhole, setIsWhole] = useState(false)
  if (outcome.is === 'running' || (isQuiet && outcome.is === 'success')) return null
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

/** The words of the session that was asked. The result also has its usage and its ids. */
function answerText(result: unknown): string {
  const text = resultText(result)
  if (!text.startsWith('{')) return text
  try {
    const { answer } = asArguments(JSON.parse(text))
    return typeof answer === 'string' ? answer : text
  } catch {
    return text
  }
}

/** The time of an imported call is not known. */
function timeOf(outcome: CallOutcome): string {
  if (outcome.is === 'running') return 'running'
  return outcome.ms === 0 ? '' : tookText(outcome.ms)
}

function markOf(
  outcome: CallOutcome,
  decision: CallDecision | undefined,
): { readonly mark: DecisionMarkName; readonly label: string } {
  if (outcome.is === 'running') {
    return decision?.effect === 'ask' ? { mark: 'ask', label: 'Asked' } : { mark: 'running', label: 'Running' }
  }
  if (decision?.effect === 'abort') return { mark: 'abort', label: 'Turn aborted' }
  if (decision?.effect === 'deny') return { mark: 'deny', label: 'Denied' }
  if (outcome.is === 'success')
    return { mark: 'allow', label: decision?.effect === 'ask' ? 'Asked and allowed' : 'Allowed' }
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

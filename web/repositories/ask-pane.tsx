/** Asks a repository. The answer streams, and its citations open the file beside it. */
import { type KeyboardEvent, useEffect, useState } from 'react'
import type { RepositoryView } from '../../src/api/repository.ts'
import { commandKey } from '../app/keys.ts'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { useStore } from '../hub/store.ts'
import { keepDraft, readDraft } from '../parts/drafts.ts'
import { Keys } from '../parts/keys-hint.tsx'
import Markdown from '../parts/markdown.tsx'
import { DecisionMark } from '../parts/marks.tsx'
import { tookText } from '../parts/time.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { type Asked, ask, questionsIn, stopAnswer } from './asked.ts'
import { shortCommit } from './index-words.ts'
import type { Place } from './place.ts'

export interface PaneProps {
  readonly repository: RepositoryView
  /** The place that the file view shows. */
  readonly open: Place | undefined
  onOpen(place: Place): void
  /** Those that the file view steps through. */
  onPlaces(places: readonly Place[]): void
}

export function AskPane({ repository, onOpen, onPlaces }: PaneProps) {
  const { questions, chosen } = useStore(questionsIn(repository.name))
  const asked = questions.find(({ id }) => id === chosen)
  const answer = asked?.state.is === 'answered' ? asked.state.answer : undefined
  useEffect(() => {
    onPlaces(answer?.citations.map(({ path, start_line: start, end_line: end }) => ({ path, start, end })) ?? [])
  }, [answer, onPlaces])
  return (
    <div className="pane rep-l">
      <div className="scroll ans" tabIndex={0} role="region" aria-label="Answer">
        {asked ? <Answer asked={asked} repository={repository} onOpen={onOpen} /> : <Invitation />}
      </div>
      <AskBar repository={repository.name} isAnswering={asked?.state.is === 'answering'} />
    </div>
  )
}

function Invitation() {
  return (
    <p className="t3">
      Ask how something works or where it happens. The answer names the lines it comes from, and each citation is
      compared with the index.
    </p>
  )
}

interface AnswerProps extends Pick<PaneProps, 'repository' | 'onOpen'> {
  readonly asked: Asked
}

function Answer({ asked, repository, onOpen }: AnswerProps) {
  const { question, text, thinking, state } = asked
  const answer = state.is === 'answered' ? state.answer : undefined
  const commit = shortCommit(repository.index.commit)
  return (
    <>
      <div className="q-line">
        <h2>
          <VisibleText text={question} />
        </h2>
        <p className="s12 t3">
          {commit !== undefined && (
            <>
              at <code>{commit}</code>
              <span className="sep" />
            </>
          )}
          {state.is === 'answering' ? 'answering' : (answer?.model ?? (answer ? 'without a model' : 'not answered'))}
          {state.is === 'answered' && (
            <>
              <span className="sep" />
              {tookText(state.tookMs)}
            </>
          )}
          {answer?.usage?.cost_usd !== undefined && (
            <>
              <span className="sep" />${answer.usage.cost_usd.toFixed(2)}
            </>
          )}
        </p>
      </div>
      {thinking !== '' && (
        <details className="rep-thinking" open={text === '' && state.is === 'answering'}>
          <summary className="s12 t3">What it searched and read</summary>
          <pre className="code wrap t3">
            <VisibleText text={thinking} />
          </pre>
        </details>
      )}
      <div aria-live="polite" aria-busy={state.is === 'answering'}>
        {text !== '' && (
          <Markdown text={text} onCite={({ path, first, last }) => onOpen({ path, start: first, end: last })} />
        )}
        {state.is === 'answering' && (
          <p className="t3">
            <span className="caret" />
            <span className="sr">The answer is being written.</span>
          </p>
        )}
      </div>
      {state.is === 'failed' && (
        <p className="stop" role="alert">
          {state.why}
        </p>
      )}
      {answer && answer.citations.length > 0 && (
        <div className="cks">
          <DecisionMark name="allow" />
          <span>{checkedWords(answer.citations.length, answer.checked, commit)}</span>
        </div>
      )}
    </>
  )
}

function checkedWords(
  count: number,
  { repaired, dropped }: { readonly repaired: number; readonly dropped: number },
  commit: string | undefined,
): string {
  const start = count === 1 ? '1 citation matches' : `${count} citations; all match`
  const notes = [repaired > 0 && `${repaired} put right`, dropped > 0 && `${dropped} left out`].filter(Boolean)
  return `${start} the files${commit === undefined ? '' : ` at ${commit}`}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`
}

function AskBar({ repository, isAnswering }: { readonly repository: string; readonly isAnswering: boolean }) {
  const hub = useHub()
  const isLost = useIsLost()
  const draft = `ask:${repository}`
  const [text, setText] = useState(() => readDraft(draft))
  const { chosen } = useStore(questionsIn(repository))
  function edit(next: string): void {
    setText(next)
    keepDraft(draft, next)
  }
  function send(): void {
    if (text.trim() === '' || isLost) return
    void ask(hub, repository, text.trim())
    edit('')
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
    event.preventDefault()
    send()
  }
  return (
    <div className="askbar">
      <div className="area">
        <textarea
          rows={1}
          aria-label="Question"
          placeholder={`Ask ${repository} something`}
          value={text}
          onChange={(event) => edit(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <div className="row">
          <span className="s12 t3 cut">Answers cite path and lines</span>
          <span className="grow" />
          {isAnswering && (
            <button className="btn" onClick={() => chosen !== undefined && stopAnswer(chosen)}>
              Stop
            </button>
          )}
          <button className="btn primary" disabled={isLost || text.trim() === ''} onClick={send}>
            Ask
            <Keys keys={[commandKey, '↵']} />
          </button>
        </div>
      </div>
    </div>
  )
}

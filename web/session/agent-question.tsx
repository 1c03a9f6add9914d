/** A question that the agent asks by its own protocol, with its choices. */
import { type FormEvent, useState } from 'react'
import type { Question, Session } from '../../src/api/session.ts'
import { showFailure } from '../app/toasts.tsx'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { StateMark } from '../parts/marks.tsx'
import { VisibleText } from '../parts/visible-text.tsx'

export function AgentQuestion({ session, question }: { readonly session: Session; readonly question: Question }) {
  const { call } = useHub()
  const isLost = useIsLost()
  const [text, setText] = useState('')
  const answer = (words: string) =>
    void call('answer_question', { session: session.id, question: question.id, answer: words }).catch(showFailure)
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (text.trim() !== '') answer(text)
  }
  return (
    <section className="ask agent-question" aria-label="Question">
      <div className="hatch edge" />
      <div className="row ah">
        <StateMark state="waiting" />
        <span className="w6 said">
          <VisibleText text={question.text} />
        </span>
      </div>
      <div className="row acts">
        {question.choices?.map((choice) => (
          <button key={choice} className="btn" disabled={isLost} onClick={() => answer(choice)}>
            <VisibleText text={choice} />
          </button>
        ))}
      </div>
      <form className="row" onSubmit={submit}>
        <span className="input grow">
          <input aria-label="Answer" value={text} onChange={(event) => setText(event.target.value)} />
        </span>
        <button className="btn primary" disabled={isLost}>
          Answer
        </button>
      </form>
    </section>
  )
}

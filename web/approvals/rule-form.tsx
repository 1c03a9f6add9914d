/** Allows a call and those like it: a grant, with a preview of what it would have matched. */
import { useEffect, useState } from 'react'
import type { Approval } from '../../src/api/approval.ts'
import { useHub } from '../hub/hub-context.tsx'
import { DecisionMark } from '../parts/marks.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import type { Deciding, GrantRule } from './decide.ts'
import { type Past, pastMatches } from './past-matches.ts'
import { questionOf } from './question.ts'

export interface RuleFormProps {
  readonly approval: Approval
  readonly deciding: Deciding
  onBack(): void
}

type Width = 'exact' | 'like' | 'any'

export function RuleForm({ approval, deciding, onBack }: RuleFormProps) {
  const { call } = useHub()
  const [isOnlySession, setIsOnlySession] = useState(true)
  const [width, setWidth] = useState<Width>('exact')
  const [past, setPast] = useState<Past>()
  const widths = widthsOf(approval)
  const rule: GrantRule = { ...ruleOf(approval, width), session: isOnlySession }
  const text = JSON.stringify({ allow: rule.tool, ...(rule.when && { when: rule.when }) }, null, 2)

  useEffect(() => {
    const stop = new AbortController()
    setPast(undefined)
    pastMatches(call, approval, width, stop.signal)
      .then(setPast)
      .catch(() => stop.signal.aborted || setPast({ is: 'unknown' }))
    return () => stop.abort()
  }, [call, approval, width])

  return (
    <footer className="decide col rule" onKeyDown={(event) => event.key === 'Escape' && onBack()}>
      <div className="rule-grid">
        <div className="rule-l">
          <div className="row">
            <span className="lab">New rule</span>
            <span className="grow" />
            <span className="seg sm" role="group" aria-label="Where">
              <button aria-pressed={isOnlySession} onClick={() => setIsOnlySession(true)}>
                This session
              </button>
              <button aria-pressed={!isOnlySession} onClick={() => setIsOnlySession(false)}>
                All sessions
              </button>
            </span>
          </div>
          <pre className="code wrap well rule-text" tabIndex={0} aria-label="Rule">
            <VisibleText text={text} />
          </pre>
          <div className="row s12 t2 wid" role="group" aria-label="How wide">
            {widths.map(([each, words]) => (
              <button key={each} className="chip" aria-pressed={each === width} onClick={() => setWidth(each)}>
                {words}
              </button>
            ))}
          </div>
        </div>
        <div className="rule-r">
          <div className="lab">What it would have matched, last 7 days</div>
          <PastMatches past={past} />
        </div>
      </div>
      <div className="row">
        <span className="s12 t3 cut">Never beats deny or abort.</span>
        <span className="grow" />
        <button className="btn lg" onClick={onBack}>
          Back<kbd aria-hidden="true">esc</kbd>
        </button>
        <button
          className="btn lg primary"
          disabled={deciding.isBusy}
          onClick={() => void deciding.decide({ decision: 'approve', scope: 'rule', rule })}
        >
          Allow and save rule
        </button>
      </div>
    </footer>
  )
}

function PastMatches({ past }: { readonly past: Past | undefined }) {
  if (!past) return <p className="s12 t3">Reading the record …</p>
  if (past.is === 'unknown') return <p className="s12 t3">The record could not be read.</p>
  return (
    <ul className="hits">
      <li>
        <DecisionMark name="allow" size={12} />
        <span className="num w6">{past.allowed}</span>
        <span>asked and allowed</span>
      </li>
      <li>
        <DecisionMark name="deny" size={12} />
        <span className="num w6">{past.denied}</span>
        <span>
          asked and <b className="stop">denied</b>
        </span>
      </li>
    </ul>
  )
}

function widthsOf(approval: Approval): readonly (readonly [Width, string])[] {
  const question = questionOf(approval)
  const like = question.is === 'command' ? `any ${firstWords(question.command)} …` : undefined
  return [
    ['exact', question.is === 'command' ? 'only this command' : 'only these arguments'],
    ...(like === undefined ? [] : [['like', like] as const]),
    ['any', `any ${approval.tool}`],
  ]
}

function ruleOf(approval: Approval, width: Width): GrantRule {
  const question = questionOf(approval)
  const { tool, arguments: args } = approval
  if (width === 'any') return { tool }
  if (question.is === 'command') {
    const pattern = `^${escaped(width === 'like' ? `${firstWords(question.command)} ` : question.command)}`
    const command = width === 'like' ? { type: 'string', pattern } : { const: question.command }
    return { tool, when: { type: 'object', required: ['command'], properties: { command } } }
  }
  const properties = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, { const: value }]))
  return { tool, when: { type: 'object', required: Object.keys(args), properties, additionalProperties: false } }
}

/** `git push` of `git push --force origin main` */
export function firstWords(command: string): string {
  return command.trim().split(/\s+/).slice(0, 2).join(' ')
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
}

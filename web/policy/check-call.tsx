/** Checks one call against the text in the editor: what would be decided, and why. Nothing is called. */
import { type FormEvent, useId, useState } from 'react'
import type { Effect } from '../../src/api/policy.ts'
import type { Session } from '../../src/api/session.ts'
import { isOver } from '../../src/api/session-status.ts'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { useSessions } from '../hub/hub-data.ts'
import { DecisionMark } from '../parts/marks.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { effectWords, ruleName, useToolNames } from './policy-data.ts'
import type { PolicyPlace } from './policy-place.ts'

interface Decision {
  readonly effect: Effect
  readonly rule?: string
  readonly why: string
  readonly policy_version: string
}

type Outcome = { readonly is: 'decided'; readonly decision: Decision } | { readonly is: 'failed'; readonly why: string }

export interface CheckCallProps {
  readonly place: PolicyPlace
  /** The text in the editor, if it differs from the saved one. */
  readonly draft: string | undefined
  onClose(): void
}

export function CheckCall({ place, draft, onClose }: CheckCallProps) {
  const { call } = useHub()
  const isLost = useIsLost()
  const ids = { session: useId(), tool: useId(), tools: useId(), args: useId() }
  const { value: all = [] } = useSessions()
  const { value: tools = [] } = useToolNames()
  const sessions = all.filter((session) => !isOver(session.status) && appliesTo(place, session))
  const [chosen, setChosen] = useState<string>()
  const [tool, setTool] = useState('')
  const [args, setArgs] = useState('{}')
  const [outcome, setOutcome] = useState<Outcome>()
  const session = chosen ?? sessions[0]?.id

  async function check(event: FormEvent): Promise<void> {
    event.preventDefault()
    try {
      const source = draft === undefined ? {} : { source: draft, ...place }
      const decision = await call<Decision>('check_call', { session, tool, arguments: readArguments(args), ...source })
      setOutcome({ is: 'decided', decision })
    } catch (error) {
      setOutcome({ is: 'failed', why: error instanceof Error ? error.message : String(error) })
    }
  }

  return (
    <Sheet title="Check one call" className="small" onClose={onClose}>
      <form className="sheet-b chk" onSubmit={(event) => void check(event)}>
        <div className="field">
          <label htmlFor={ids.session}>Session</label>
          <span className="input">
            <select id={ids.session} value={session ?? ''} onChange={(event) => setChosen(event.target.value)}>
              {sessions.length === 0 && <option value="">No session runs that it applies to</option>}
              {sessions.map(({ id, name, template }) => (
                <option key={id} value={id}>
                  {name}, {template}
                </option>
              ))}
            </select>
          </span>
        </div>
        <div className="field">
          <label htmlFor={ids.tool}>Tool</label>
          <span className="input">
            <input
              id={ids.tool}
              className="mono"
              list={ids.tools}
              required
              autoComplete="off"
              placeholder="github_get_issue"
              value={tool}
              onChange={(event) => setTool(event.target.value)}
            />
          </span>
          <datalist id={ids.tools}>
            {tools.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </div>
        <div className="field">
          <label htmlFor={ids.args}>Arguments, JSON</label>
          <span className="area">
            <textarea
              id={ids.args}
              className="mono"
              rows={4}
              spellCheck={false}
              value={args}
              onChange={(event) => setArgs(event.target.value)}
            />
          </span>
        </div>
        <div className="row">
          <span className="s12 t3">{draft === undefined ? 'The saved policy decides.' : 'Your text decides.'}</span>
          <span className="grow" />
          <button className="btn primary" disabled={isLost || session === undefined}>
            Check
          </button>
        </div>
        <div role="status" aria-live="polite">
          {outcome && <OutcomeView outcome={outcome} place={place} isDraft={draft !== undefined} />}
        </div>
      </form>
    </Sheet>
  )
}

interface OutcomeViewProps {
  readonly outcome: Outcome
  readonly place: PolicyPlace
  readonly isDraft: boolean
}

function OutcomeView({ outcome, place, isDraft }: OutcomeViewProps) {
  if (outcome.is === 'failed') {
    return (
      <p className="chk-o row">
        <DecisionMark name="abort" />
        <VisibleText text={outcome.why} />
      </p>
    )
  }
  const { effect, rule, why, policy_version: version } = outcome.decision
  return (
    <div className="chk-o">
      <p className="row">
        <DecisionMark name={effect} />
        <b className="w6">{effectWords[effect]}</b>
        <span className="t2">{ruleName(rule, place)}</span>
        <span className="grow" />
        {!isDraft && <span className="s12 t3">{version}</span>}
      </p>
      <p className="t2">
        <VisibleText text={why} />
      </p>
    </div>
  )
}

function appliesTo({ scope, target }: PolicyPlace, { name, template }: Session): boolean {
  if (scope === 'hub') return true
  return target === (scope === 'template' ? template : name)
}

function readArguments(text: string): object {
  let read: unknown
  try {
    read = JSON.parse(text.trim() === '' ? '{}' : text)
  } catch (error) {
    throw new Error(`The arguments are not JSON: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
  if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read
  throw new Error('The arguments must be an object, such as {"repo": "docs"}.')
}

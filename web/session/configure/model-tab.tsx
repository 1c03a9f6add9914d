/** Chooses who continues the thread of a session: another model, or another agent. */
import { useId } from 'react'
import type { Session } from '../../../src/api/session.ts'
import { useTemplates, type ListedTemplate } from '../../hub/templates.ts'

export interface ModelChoice {
  readonly template: string
  readonly model: string
}

export interface ModelTabProps {
  readonly session: Session
  readonly choice: ModelChoice
  onChange(choice: ModelChoice): void
}

export function presentChoice({ template, model = '' }: Session): ModelChoice {
  return { template, model }
}

export function isOtherModel(session: Session, { template, model }: ModelChoice): boolean {
  return template !== session.template || model.trim() !== (session.model ?? '')
}

/** The arguments of switch_provider. */
export function switchArguments({ template, model }: ModelChoice, agents: readonly ListedTemplate[]) {
  const isBuiltIn = agents.find(({ name }) => name === template)?.driver === 'model'
  const named = model.trim()
  if (isBuiltIn && named.includes('/')) return { to: named }
  return { to: template, ...(named !== '' && { model: named }) }
}

export function useAgents(): readonly ListedTemplate[] {
  const { value: templates = [] } = useTemplates()
  return templates.filter(({ agent, driver }) => agent !== undefined || driver === 'model')
}

export function ModelTab({ session, choice, onChange }: ModelTabProps) {
  const agents = useAgents()
  const id = useId()
  const chosen = agents.find(({ name }) => name === choice.template)
  const isBuiltIn = chosen?.driver === 'model'
  const staysHere = isBuiltIn && choice.template === session.template
  if (session.thread === undefined) {
    return (
      <p className="t2 cfg-none">
        {agents.some(({ name }) => name === session.template)
          ? 'There is no thread yet. After the first prompt, another model or agent can continue it.'
          : 'This session runs no agent with a thread that another could continue.'}
      </p>
    )
  }
  return (
    <div className="cfg-model">
      <fieldset className="field">
        <legend className="lab">Agent</legend>
        <div className="agents">
          {agents.map((each) => (
            <label
              key={each.name}
              className={`agent${each.name === choice.template ? ' on' : ''}${each.available ? '' : ' off'}`}
              title={each.why_not ?? each.description}
            >
              <input
                className="sr"
                type="radio"
                name={`${id}-agent`}
                value={each.name}
                disabled={!each.available}
                checked={each.name === choice.template}
                onChange={() =>
                  onChange({ template: each.name, model: each.name === session.template ? (session.model ?? '') : '' })
                }
              />
              <span className="w6 cut">{each.name}</span>
              <span className="s12 t3 cut">{each.name === session.template ? 'now' : each.label}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <div className="field">
        <label htmlFor={`${id}-m`}>Model</label>
        <span className="input">
          <input
            id={`${id}-m`}
            className="mono"
            placeholder={isBuiltIn ? 'openai/…, anthropic/… or google/…' : 'As the agent is set up'}
            spellCheck={false}
            value={choice.model}
            onChange={(event) => onChange({ ...choice, model: event.target.value })}
          />
        </span>
        <span className="hint">
          {isBuiltIn ? 'The provider, a slash, and the name of the model' : 'In the agent’s own words, such as opus'}
        </span>
      </div>
      <p className="s12 t2">
        {!isOtherModel(session, choice)
          ? 'Another model or agent sees the whole thread, with all tool calls and results.'
          : staysHere
            ? 'This session goes on with it from the next turn.'
            : `A new session goes on with the thread, in the same workspace and with the same connections and policy. ${session.name} stays as it is.`}
      </p>
    </div>
  )
}

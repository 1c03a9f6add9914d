/** The fields of a new session. The page remembers what was chosen last. */
import { type FormEvent, type KeyboardEvent, Suspense, lazy, useId, useState } from 'react'
import type { Session } from '../../src/api/session.ts'
import { commandKey } from '../app/keys.ts'
import { go } from '../app/router.ts'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { useSessions } from '../hub/hub-data.ts'
import { type ListedTemplate, useTemplates } from '../hub/templates.ts'
import { Check } from '../parts/check.tsx'
import { keepDraft, readDraft } from '../parts/drafts.ts'
import { Icon } from '../parts/icons.tsx'
import { Keys } from '../parts/keys-hint.tsx'
import { placeOf } from '../parts/session-state.ts'
import { type SessionChoice, choiceArguments, envOf, hasAgent, keepChoice, readChoice } from './session-choice.ts'

const MoreFields = lazy(async () => ({ default: (await import('./more-fields.tsx')).MoreFields }))

const draftKey = 'new-session'
/** How many directories are offered. */
const mostPlaces = 20

export function SessionForm({ withMore, onStarted }: { readonly withMore: boolean; onStarted?(): void }) {
  const { call } = useHub()
  const isLost = useIsLost()
  const { value: templates = [] } = useTemplates()
  const { value: sessions = [] } = useSessions()
  const [choice, setChoice] = useState(readChoice)
  const [name, setName] = useState<string>()
  const [prompt, setPrompt] = useState(() => readDraft(draftKey))
  const [command, setCommand] = useState('')
  const [env, setEnv] = useState('')
  const [failure, setFailure] = useState<string>()
  const [isStarting, setIsStarting] = useState(false)
  const id = useId()
  const chosen = templates.find((each) => each.name === choice.template) ?? templates.find(({ available }) => available)
  const template = chosen?.name ?? ''
  const shownName = name ?? freeName(choice.directory, template, sessions)
  const isShell = chosen !== undefined && !hasAgent(chosen)
  const change = (next: Partial<SessionChoice>) => setChoice({ ...choice, ...next })

  async function start(): Promise<void> {
    if (isStarting || isLost || !chosen) return
    setIsStarting(true)
    setFailure(undefined)
    keepChoice({ ...choice, template })
    try {
      const variables = envOf(env)
      const started = await call<Session>('create_session', {
        name: shownName,
        ...choiceArguments(choice, chosen),
        ...(prompt.trim() !== '' && !isShell && { prompt }),
        ...(command.trim() !== '' && isShell && { command }),
        ...(Object.keys(variables).length > 0 && { env: variables }),
      })
      keepDraft(draftKey, '')
      onStarted?.()
      go({ is: 'session', name: started.name })
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
    } finally {
      setIsStarting(false)
    }
  }
  function submit(event: FormEvent): void {
    event.preventDefault()
    void start()
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
    event.preventDefault()
    void start()
  }
  return (
    <form className="first-form" onSubmit={submit} onKeyDown={onKeyDown}>
      <fieldset className="field">
        <legend className="lab">Agent</legend>
        <div className="agents">
          {templates.toSorted(byAvailability).map((each) => (
            <label
              key={each.name}
              className={`agent${each.name === template ? ' on' : ''}${each.available ? '' : ' off'}`}
              title={each.why_not ?? each.description}
            >
              <input
                className="sr"
                type="radio"
                name="template"
                value={each.name}
                disabled={!each.available}
                checked={each.name === template}
                onChange={() => change({ template: each.name })}
              />
              <span className="w6 cut">{each.name}</span>
              <span className="s12 t3 cut">{noteOf(each)}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <div className="two">
        <div className="field">
          <label htmlFor={`${id}-d`}>Directory</label>
          <span className="input">
            <Icon name="folder" size={14} />
            <input
              id={`${id}-d`}
              className="mono"
              list={`${id}-places`}
              placeholder="A new one"
              spellCheck={false}
              value={choice.directory}
              onChange={(event) => change({ directory: event.target.value })}
            />
          </span>
          <datalist id={`${id}-places`}>
            {placesOf(sessions).map((place) => (
              <option key={place} value={place} />
            ))}
          </datalist>
          <span className="hint">A full path on the machine of the hub</span>
        </div>
        <div className="field f-name">
          <label htmlFor={`${id}-n`}>Name</label>
          <span className="input">
            <input
              id={`${id}-n`}
              className="mono"
              required
              spellCheck={false}
              value={shownName}
              onChange={(event) => setName(event.target.value)}
            />
          </span>
          <span className="hint">Lower case, digits and hyphens</span>
        </div>
      </div>
      {isShell ? (
        <div className="field">
          <label htmlFor={`${id}-c`}>Command</label>
          <span className="input">
            <input
              id={`${id}-c`}
              className="mono"
              placeholder="Leave empty for your shell"
              spellCheck={false}
              value={command}
              onChange={(event) => setCommand(event.target.value)}
            />
          </span>
        </div>
      ) : (
        <div className="field">
          <label htmlFor={`${id}-p`}>What should it do?</label>
          <span className="area">
            <textarea
              id={`${id}-p`}
              rows={3}
              placeholder="Leave empty to start at the prompt"
              value={prompt}
              onChange={(event) => {
                setPrompt(event.target.value)
                keepDraft(draftKey, event.target.value)
              }}
            />
          </span>
        </div>
      )}
      {withMore && chosen && (
        <details>
          <summary className="s12 t2">{moreWords(choice)}</summary>
          <div className="first-form">
            <Suspense>
              <MoreFields choice={choice} template={chosen} env={env} onChange={change} onEnv={setEnv} />
            </Suspense>
          </div>
        </details>
      )}
      <div className="row wrapx">
        <Check checked={choice.worktree} onChange={(worktree) => change({ worktree })}>
          Own git worktree
        </Check>
        <span className="err stop s12 grow" role="alert">
          {failure}
        </span>
        <button className="btn lg primary" disabled={isLost || isStarting || !chosen}>
          Start session <Keys keys={[commandKey, '↵']} />
        </button>
      </div>
    </form>
  )
}

/** Names what differs from the template, since the fields are folded. */
function moreWords({ model, connectors, tools, sandbox, policy, labels }: SessionChoice): string {
  const changed = [
    model !== '' && `model ${model}`,
    connectors && countText(connectors.length, 'connection'),
    tools && countText(tools.length, 'terminal tool'),
    sandbox && (sandbox.is === 'off' ? 'no sandbox' : 'own sandbox'),
    policy.trim() !== '' && 'own rules',
    labels !== '' && `labels ${labels}`,
  ].filter((words) => typeof words === 'string')
  const all = 'Model, mode, connections, tools, sandbox, rules, labels, variables'
  return changed.length === 0 ? all : `More: ${changed.join(', ')}`
}

function countText(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`
}

function byAvailability(one: ListedTemplate, other: ListedTemplate): number {
  return Number(other.available) - Number(one.available)
}

function noteOf({ name, label, available }: ListedTemplate): string {
  if (!available) return 'not available'
  if (name === 'shell') return 'any command'
  return label.toLowerCase() === name ? 'installed' : label
}

/** Directories that people chose before. */
function placesOf(sessions: readonly Session[]): readonly string[] {
  const chosen = sessions.filter((session) => placeOf(session) !== '').map(({ workspace_path: path }) => path)
  return [...new Set(chosen)].slice(0, mostPlaces)
}

/** `storefront-1`, or the next number that no session has. */
function freeName(directory: string, template: string, sessions: readonly Session[]): string {
  const folder = directory.split('/').findLast((part) => part !== '') ?? template
  const start =
    folder
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 36) || 'session'
  const taken = new Set(sessions.map(({ name }) => name))
  let number = 1
  while (taken.has(`${start}-${number}`)) number++
  return `${start}-${number}`
}

/** The fields of a new session. The page remembers what was chosen last. */
import { type FormEvent, type KeyboardEvent, useId, useState } from 'react'
import type { Session } from '../../src/api/session.ts'
import { commandKey } from '../app/keys.ts'
import { go } from '../app/router.ts'
import { useHub, useIsLost, useLive } from '../hub/hub-context.tsx'
import { useSessions } from '../hub/hub-data.ts'
import { Check } from '../parts/check.tsx'
import { keepDraft, readDraft } from '../parts/drafts.ts'
import { Icon } from '../parts/icons.tsx'
import { Keys } from '../parts/keys-hint.tsx'

interface ListedTemplate {
  readonly name: string
  readonly label: string
  readonly description?: string
  readonly available: boolean
  readonly why_not?: string
}

interface Connector {
  readonly name: string
  readonly enabled: boolean
}

interface Choice {
  readonly template: string
  readonly directory: string
  readonly worktree: boolean
  readonly connectors: readonly string[] | undefined
}

const choiceKey = 'signalbox-new-session'
const draftKey = 'new-session'

export function SessionForm({ withMore, onStarted }: { readonly withMore: boolean; onStarted?(): void }) {
  const { call } = useHub()
  const isLost = useIsLost()
  const { value: templates = [] } = useTemplates()
  const { value: connectors = [] } = useConnectors()
  const { value: sessions = [] } = useSessions()
  const [choice, setChoice] = useState(readChoice)
  const [name, setName] = useState<string>()
  const [prompt, setPrompt] = useState(() => readDraft(draftKey))
  const [command, setCommand] = useState('')
  const [policy, setPolicy] = useState('')
  const [model, setModel] = useState('')
  const [failure, setFailure] = useState<string>()
  const [isStarting, setIsStarting] = useState(false)
  const id = useId()
  const chosen = templates.find((each) => each.name === choice.template) ?? templates.find(({ available }) => available)
  const template = chosen?.name ?? ''
  const shownName = name ?? freeName(choice.directory, template, sessions)
  const isShell = template === 'shell' || template === 'script'
  const change = (next: Partial<Choice>) => setChoice({ ...choice, ...next })

  async function start(): Promise<void> {
    if (isStarting || isLost || !chosen) return
    setIsStarting(true)
    setFailure(undefined)
    localStorage.setItem(choiceKey, JSON.stringify({ ...choice, template }))
    const directory = choice.directory.trim()
    try {
      const started = await call<Session>('create_session', {
        name: shownName,
        template,
        ...(prompt.trim() !== '' && !isShell && { prompt }),
        ...(command.trim() !== '' && isShell && { command }),
        ...(directory !== '' && { working_dir: directory, worktree: choice.worktree && !isShell }),
        ...(choice.connectors && { connectors: choice.connectors }),
        ...(policy.trim() !== '' && { policy }),
        ...(model.trim() !== '' && !isShell && { agent_args: ['--model', model.trim()] }),
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
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) void start()
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
              placeholder="A new one"
              spellCheck={false}
              value={choice.directory}
              onChange={(event) => change({ directory: event.target.value })}
            />
          </span>
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
      {withMore && (
        <details>
          <summary className="s12 t2">Model, connectors and policy</summary>
          <div className="first-form">
            {!isShell && (
              <div className="field">
                <label htmlFor={`${id}-m`}>Model</label>
                <span className="input">
                  <input
                    id={`${id}-m`}
                    className="mono"
                    placeholder="As the agent is set up"
                    value={model}
                    onChange={(event) => setModel(event.target.value)}
                  />
                </span>
              </div>
            )}
            {connectors.length > 0 && (
              <fieldset className="field">
                <legend className="lab">Connectors</legend>
                <Check
                  checked={choice.connectors === undefined}
                  onChange={(own) => change({ connectors: own ? undefined : [] })}
                >
                  As the template says
                </Check>
                {choice.connectors &&
                  connectors.map((each) => (
                    <Check
                      key={each.name}
                      checked={choice.connectors!.includes(each.name)}
                      onChange={(on) =>
                        change({
                          connectors: on
                            ? [...choice.connectors!, each.name]
                            : choice.connectors!.filter((other) => other !== each.name),
                        })
                      }
                    >
                      {each.name}
                    </Check>
                  ))}
              </fieldset>
            )}
            <div className="field">
              <label htmlFor={`${id}-r`}>Rules for this session</label>
              <span className="area">
                <textarea
                  id={`${id}-r`}
                  className="mono"
                  rows={3}
                  placeholder="YAML, added to the rules of the hub"
                  spellCheck={false}
                  value={policy}
                  onChange={(event) => setPolicy(event.target.value)}
                />
              </span>
            </div>
          </div>
        </details>
      )}
      <div className="row wrapx">
        {!isShell && (
          <Check checked={choice.worktree} onChange={(worktree) => change({ worktree })}>
            Own git worktree
          </Check>
        )}
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

function byAvailability(one: ListedTemplate, other: ListedTemplate): number {
  return Number(other.available) - Number(one.available)
}

function noteOf({ name, label, available }: ListedTemplate): string {
  if (!available) return 'not available'
  if (name === 'shell') return 'any command'
  return label.toLowerCase() === name ? 'installed' : label
}

function useTemplates() {
  return useLive<readonly ListedTemplate[]>('templates', ({ call }) => ({
    uris: ['resource://templates'],
    read: async (signal) =>
      (await call<{ templates: readonly ListedTemplate[] }>('list_templates', {}, signal)).templates,
  }))
}

function useConnectors() {
  return useLive<readonly Connector[]>('connectors', ({ call }) => ({
    uris: ['resource://connectors'],
    async read(signal) {
      const { connectors } = await call<{ connectors: readonly Connector[] }>('list_connectors', {}, signal)
      return connectors.filter(({ enabled }) => enabled)
    },
  }))
}

function readChoice(): Choice {
  const nothing: Choice = { template: '', directory: '', worktree: false, connectors: undefined }
  try {
    return { ...nothing, ...(JSON.parse(localStorage.getItem(choiceKey) ?? '{}') as Partial<Choice>) }
  } catch {
    return nothing
  }
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

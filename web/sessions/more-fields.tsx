/** The fields of a new session that most sessions leave as the template says. */
import { type ReactNode, useId } from 'react'
import type { SessionMode } from '../../src/api/session.ts'
import { terminalToolNames } from '../../src/api/terminal-tools.ts'
import type { Template } from '../../src/api/template.ts'
import { useLive } from '../hub/hub-context.tsx'
import { Check } from '../parts/check.tsx'
import { type SandboxDraft, type SessionChoice, hasAgent, modesOf, ownSandbox } from './session-choice.ts'

const modeWords: Readonly<Record<SessionMode, string>> = {
  terminal: 'its own interface in a terminal',
  both: 'terminal and thread',
  structured: 'thread only, without a terminal',
}

export interface MoreFieldsProps {
  readonly choice: SessionChoice
  readonly template: Template
  readonly env: string
  onChange(next: Partial<SessionChoice>): void
  onEnv(env: string): void
}

export function MoreFields({ choice, template, env, onChange, onEnv }: MoreFieldsProps) {
  const { value: connectors = [] } = useEnabledConnectors()
  const modes = modesOf(template)
  return (
    <>
      <div className="two">
        {hasAgent(template) && (
          <Field label="Model">
            {(id) => (
              <span className="input">
                <input
                  id={id}
                  className="mono"
                  spellCheck={false}
                  placeholder={template.driver === 'model' ? 'As the hub is set up' : 'As the agent is set up'}
                  value={choice.model}
                  onChange={(event) => onChange({ model: event.target.value })}
                />
              </span>
            )}
          </Field>
        )}
        {modes.length > 1 && (
          <Field label="Mode">
            {(id) => (
              <span className="input">
                <select
                  id={id}
                  value={choice.mode !== undefined && modes.includes(choice.mode) ? choice.mode : template.mode}
                  onChange={(event) => onChange({ mode: event.target.value as SessionMode })}
                >
                  {modes.map((mode) => (
                    <option key={mode} value={mode}>
                      {mode}: {modeWords[mode]}
                    </option>
                  ))}
                </select>
              </span>
            )}
          </Field>
        )}
      </div>
      {connectors.length > 0 && (
        <Chosen
          legend="Connections"
          all={connectors}
          ofTemplate={template.connectors}
          chosen={choice.connectors}
          onChange={(names) => onChange({ connectors: names })}
        />
      )}
      <Chosen
        legend="Terminal tools of the agent"
        all={terminalToolNames}
        ofTemplate={template.terminal_tools}
        chosen={choice.tools}
        onChange={(tools) => onChange({ tools })}
      />
      <SandboxFields template={template} sandbox={choice.sandbox} onChange={(sandbox) => onChange({ sandbox })} />
      <Field label="Rules for this session">
        {(id) => (
          <Lines
            id={id}
            placeholder="YAML, added to the rules of the hub"
            text={choice.policy}
            onText={(policy) => onChange({ policy })}
          />
        )}
      </Field>
      <div className="two">
        <Field label="Labels" hint="Between commas">
          {(id) => (
            <span className="input">
              <input id={id} value={choice.labels} onChange={(event) => onChange({ labels: event.target.value })} />
            </span>
          )}
        </Field>
        <Field label="Variables" hint="For the program; not stored">
          {(id) => <Lines id={id} rows={1} placeholder="NAME=value, one per line" text={env} onText={onEnv} />}
        </Field>
      </div>
    </>
  )
}

interface FieldProps {
  readonly label: string
  readonly hint?: string
  children(id: string): ReactNode
}

function Field({ label, hint, children }: FieldProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(id)}
      {hint !== undefined && <span className="hint">{hint}</span>}
    </div>
  )
}

interface LinesProps {
  readonly id: string
  readonly rows?: number
  readonly placeholder: string
  readonly text: string
  onText(text: string): void
}

function Lines({ id, rows = 3, placeholder, text, onText }: LinesProps) {
  return (
    <span className="area">
      <textarea
        id={id}
        className="mono"
        rows={Math.max(rows, text.split('\n').length)}
        placeholder={placeholder}
        spellCheck={false}
        value={text}
        onChange={(event) => onText(event.target.value)}
      />
    </span>
  )
}

interface ChosenProps {
  readonly legend: string
  readonly all: readonly string[]
  /** The choices of the template, from which the person's own choice starts. */
  readonly ofTemplate: readonly string[]
  readonly chosen: readonly string[] | undefined
  onChange(chosen: readonly string[] | undefined): void
}

/** Either the choices of the template, or exactly the chosen ones. */
function Chosen({ legend, all, ofTemplate, chosen, onChange }: ChosenProps) {
  return (
    <fieldset className="field">
      <legend className="lab">{legend}</legend>
      <Check
        checked={chosen === undefined}
        onChange={(isOfTemplate) => onChange(isOfTemplate ? undefined : ofTemplate)}
      >
        As the template says
      </Check>
      {chosen && (
        <div className="checks">
          {all.map((name) => (
            <Check
              key={name}
              checked={chosen.includes(name)}
              onChange={(on) => onChange(on ? [...chosen, name] : chosen.filter((other) => other !== name))}
            >
              <span className="cut">{name}</span>
            </Check>
          ))}
        </div>
      )}
    </fieldset>
  )
}

interface SandboxFieldsProps {
  readonly template: Template
  readonly sandbox: SandboxDraft | undefined
  onChange(sandbox: SandboxDraft | undefined): void
}

function SandboxFields({ template, sandbox, onChange }: SandboxFieldsProps) {
  const isConfined = template.sandbox !== undefined && template.sandbox !== 'off'
  const choose = (is: string) => onChange(is === 'own' ? ownSandbox : is === 'off' ? { is } : undefined)
  return (
    <>
      <Field label="Sandbox">
        {(id) => (
          <span className="input">
            <select id={id} value={sandbox?.is ?? 'template'} onChange={(event) => choose(event.target.value)}>
              <option value="template">As the template says: {isConfined ? 'confined' : 'not confined'}</option>
              <option value="own">Confined to the workspace and these paths</option>
              <option value="off">Off: it can read and write whatever you can</option>
            </select>
          </span>
        )}
      </Field>
      {sandbox?.is === 'own' && (
        <div className="two">
          <Field label="May write">
            {(id) => (
              <Lines
                id={id}
                rows={2}
                placeholder="~/.cache, one per line"
                text={sandbox.write}
                onText={(write) => onChange({ ...sandbox, write })}
              />
            )}
          </Field>
          <Field label="May read">
            {(id) => (
              <Lines
                id={id}
                rows={2}
                placeholder="~/.gitconfig, one per line"
                text={sandbox.read}
                onText={(read) => onChange({ ...sandbox, read })}
              />
            )}
          </Field>
          <Field label="Network">
            {(id) => (
              <span className="input">
                <select
                  id={id}
                  value={sandbox.network}
                  onChange={(event) => onChange({ ...sandbox, network: event.target.value as typeof sandbox.network })}
                >
                  <option value="all">all</option>
                  <option value="none">none but the hub</option>
                  <option value="hosts">these hosts</option>
                </select>
              </span>
            )}
          </Field>
          {sandbox.network === 'hosts' && (
            <Field label="Hosts">
              {(id) => (
                <Lines
                  id={id}
                  rows={2}
                  placeholder="api.example.com, one per line"
                  text={sandbox.hosts}
                  onText={(hosts) => onChange({ ...sandbox, hosts })}
                />
              )}
            </Field>
          )}
        </div>
      )}
    </>
  )
}

interface NamedConnector {
  readonly name: string
  readonly enabled: boolean
}

function useEnabledConnectors() {
  return useLive<readonly string[]>('enabled-connectors', ({ call }) => ({
    uris: ['resource://connectors'],
    async read(signal) {
      const { connectors } = await call<{ connectors: readonly NamedConnector[] }>('list_connectors', {}, signal)
      return connectors.filter(({ enabled }) => enabled).map(({ name }) => name)
    },
  }))
}

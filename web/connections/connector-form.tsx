/** The dialog that adds or changes a connector, and tests it before it is saved. */
import { type FormEvent, type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import type { Connector } from '../../src/api/connector.ts'
import { commandKey } from '../app/keys.ts'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { Check } from '../parts/check.tsx'
import { Keys } from '../parts/keys-hint.tsx'
import { DecisionMark } from '../parts/marks.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { type ConnectorTexts, connectorOf, textsOf } from './connector-fields.ts'
import { TestResult } from './test-outcome.tsx'
import { useTest } from './use-test.ts'

export interface ConnectorFormProps {
  /** Without it, a new one is added. */
  readonly connector?: Connector
  onClose(): void
  onSaved(name: string): void
}

const transports: readonly (readonly [Connector['transport'], string])[] = [
  ['stdio', 'A program'],
  ['http', 'HTTP'],
  ['sse', 'SSE'],
]

type TextName = Exclude<keyof ConnectorTexts, 'transport' | 'shared' | 'strict'>

export function ConnectorForm({ connector, onClose, onSaved }: ConnectorFormProps) {
  const { call } = useHub()
  const isLost = useIsLost()
  const test = useTest()
  const [texts, setTexts] = useState(() => textsOf(connector))
  const [failure, setFailure] = useState<string>()
  const [isSaving, setIsSaving] = useState(false)
  const change = (next: Partial<ConnectorTexts>) => setTexts({ ...texts, ...next })
  const isProgram = texts.transport === 'stdio'

  async function save(): Promise<void> {
    if (isSaving || isLost) return
    setIsSaving(true)
    setFailure(undefined)
    try {
      const saved = await call<Connector>('save_connector', connectorOf(texts, connector))
      onSaved(saved.name)
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
    } finally {
      setIsSaving(false)
    }
  }
  function submit(event: FormEvent): void {
    event.preventDefault()
    void save()
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) void save()
  }
  const wrong = failure === undefined ? undefined : fieldOf(failure)
  const text = (name: TextName) => ({
    value: texts[name],
    error: wrong?.field === name ? wrong.words : undefined,
    onChange: (value: string) => change({ [name]: value }),
  })
  return (
    <Sheet title={connector ? `Edit ${connector.name}` : 'Add a connection'} className="c-edit" onClose={onClose}>
      <form onSubmit={submit} onKeyDown={onKeyDown} className="c-edit-form">
        <div className="sheet-b first-form">
          <div className="two">
            <TextField label="Name" {...text('name')} isFixed={connector !== undefined} hint="Such as github" />
            <fieldset className="field">
              <legend className="lab">Reached by</legend>
              <span className="seg" role="group" aria-label="Reached by">
                {transports.map(([each, words]) => (
                  <button
                    key={each}
                    type="button"
                    aria-pressed={texts.transport === each}
                    onClick={() => change({ transport: each })}
                  >
                    {words}
                  </button>
                ))}
              </span>
            </fieldset>
          </div>
          {isProgram ? (
            <>
              <TextField label="Program" {...text('cmd')} hint="Such as npx, or a full path" />
              <TextField label="Arguments, one on each line" {...text('args')} rows={3} />
            </>
          ) : (
            <>
              <TextField label="Address" {...text('base_url')} hint="https://example.org/mcp" />
              <TextField
                label="Headers, one on each line"
                {...text('headers')}
                rows={2}
                hint="Authorization: Bearer ${GITHUB_TOKEN}"
              />
            </>
          )}
          <TextField
            label="Variables of the hub that it gets"
            {...text('env_keys')}
            hint="Names only, such as GITHUB_TOKEN. The hub keeps no secret."
          />
          <details>
            <summary className="s12 t2">Folder, tools and more</summary>
            <div className="first-form">
              {isProgram && (
                <div className="two">
                  <TextField
                    label="Folder"
                    {...text('cwd')}
                    hint="Without it, one of the hub; {workspace} is that of the session"
                  />
                  <TextField label="Environment that is not secret" {...text('env')} rows={2} hint="NAME=value" />
                </div>
              )}
              <div className="two">
                <TextField label="Only these tools" {...text('enabled_tools')} hint="* is any text" />
                <TextField label="None of these tools" {...text('disabled_tools')} />
              </div>
              <Check checked={texts.shared} onChange={(shared) => change({ shared })}>
                One for all sessions instead of one each
              </Check>
              <Check checked={texts.strict} onChange={(strict) => change({ strict })}>
                Check strictly that it keeps to the protocol
              </Check>
            </div>
          </details>
          {failure !== undefined && wrong === undefined && <Failure>{failure}</Failure>}
          <TestResult test={test} />
        </div>
        <footer className="row sheet-f">
          <button
            type="button"
            className="btn lg"
            disabled={isLost || test.isRunning}
            onClick={() => void test.run({ connector: connectorOf(texts, connector) })}
          >
            Test
          </button>
          <span className="grow" />
          <button type="button" className="btn lg" onClick={onClose}>
            Cancel
          </button>
          <button className="btn lg primary" disabled={isLost || isSaving}>
            Save <Keys keys={[commandKey, '↵']} />
          </button>
        </footer>
      </form>
    </Sheet>
  )
}

/** The hub's refusals begin with the name of the field: `"cmd": …` */
function fieldOf(message: string): { readonly field: TextName; readonly words: string } | undefined {
  const [, path = '', words = ''] = /^"([\w.-]+)":? (.*)$/s.exec(message) ?? []
  const name = path.replace(/^options\./, '').split('.')[0]
  const known: readonly TextName[] = [
    'name',
    'cmd',
    'args',
    'base_url',
    'headers',
    'env_keys',
    'env',
    'cwd',
    'enabled_tools',
    'disabled_tools',
  ]
  const field = known.find((each) => each === name)
  return field && { field, words: words.charAt(0).toUpperCase() + words.slice(1) }
}

function Failure({ id, children }: { readonly id?: string; readonly children: ReactNode }) {
  return (
    <span className="err stop s12 row" id={id} role="alert">
      <DecisionMark name="abort" size={12} />
      <span>{children}</span>
    </span>
  )
}

interface TextFieldProps {
  readonly label: string
  readonly value: string
  readonly error: string | undefined
  onChange(value: string): void
  readonly hint?: string
  /** More than one line. */
  readonly rows?: number
  readonly isFixed?: boolean
}

function TextField({ label, value, error, onChange, hint, rows, isFixed = false }: TextFieldProps) {
  const id = useId()
  const shared = {
    id,
    className: 'mono',
    spellCheck: false,
    autoComplete: 'off',
    value,
    placeholder: hint,
    ...(error !== undefined && { 'aria-invalid': true, 'aria-describedby': `${id}-error` }),
  }
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <span className={`${rows === undefined ? 'input' : 'area'}${error === undefined ? '' : ' bad'}`}>
        {rows === undefined ? (
          <input {...shared} disabled={isFixed} onChange={(event) => onChange(event.target.value)} />
        ) : (
          <textarea {...shared} rows={rows} onChange={(event) => onChange(event.target.value)} />
        )}
      </span>
      {error !== undefined && <Failure id={`${id}-error`}>{error}</Failure>}
    </div>
  )
}

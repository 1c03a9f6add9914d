/** Tries a tool: its arguments as a form, as JSON, and its schema; then the call and its result. */
import { type FormEvent, type KeyboardEvent, type MouseEvent, useMemo, useRef, useState } from 'react'
import { commandKey } from '../app/keys.ts'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { Keys } from '../parts/keys-hint.tsx'
import { DecisionMark } from '../parts/marks.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { JsonText } from '../parts/json-text.tsx'
import { partsOf, readParts } from './schema-form/draft.ts'
import { fieldsOf } from './schema-form/field.ts'
import { SchemaForm } from './schema-form/schema-form.tsx'
import { type ToolAnswer, ToolResult, type TriedCall } from './tool-result.tsx'
import type { OfferedTool } from './tool-list.tsx'

type Way = 'form' | 'json' | 'schema'
const ways: readonly (readonly [Way, string])[] = [
  ['form', 'Form'],
  ['json', 'JSON'],
  ['schema', 'Schema'],
]

export interface TryToolProps {
  readonly connector: string
  readonly tool: OfferedTool
  /** The last call of any tool of the connector. */
  readonly tried: TriedCall | undefined
  onTried(tried: TriedCall): void
}

export function TryTool({ connector, tool, tried, onTried }: TryToolProps) {
  const { call } = useHub()
  const isLost = useIsLost()
  const fields = useMemo(() => fieldsOf(tool.inputSchema), [tool])
  const [way, setWay] = useState<Way>('form')
  const [parts, setParts] = useState(() => partsOf(fields, {}))
  const [json, setJson] = useState('{}')
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [hasTried, setHasTried] = useState(false)
  const [running, setRunning] = useState<AbortController>()
  const form = useRef<HTMLFormElement>(null)

  const reading = readParts(fields, parts)
  const written = readJson(json)
  const errors = Object.fromEntries(Object.entries(reading.errors).filter(([path]) => hasTried || left.has(path)))
  const isJson = way === 'json'
  const isWrong = isJson ? 'error' in written : Object.keys(reading.errors).length > 0

  /** Carries the input over between form and JSON, unless the JSON cannot be read. */
  function show(next: Way): void {
    if (next === 'json' && way !== 'json') setJson(JSON.stringify(reading.value, null, 2))
    if (next !== 'json' && way === 'json' && 'value' in written) setParts(partsOf(fields, written.value))
    setWay(next)
  }

  async function run(): Promise<void> {
    if (running || isLost) return
    setHasTried(true)
    if (isWrong) {
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus())
      return
    }
    const stop = new AbortController()
    setRunning(stop)
    const startedAt = performance.now()
    const done = (answer: ToolAnswer) => onTried({ tool: tool.name, at: Date.now(), answer })
    try {
      const args = isJson && 'value' in written ? written.value : reading.value
      done(await call<ToolAnswer>('call_connector_tool', { connector, tool: tool.name, arguments: args }, stop.signal))
    } catch (error) {
      const words = stop.signal.aborted ? 'Cancelled.' : error instanceof Error ? error.message : String(error)
      done({ ok: false, ms: performance.now() - startedAt, error: words })
    } finally {
      setRunning(undefined)
    }
  }
  function submit(event: FormEvent): void {
    event.preventDefault()
    void run()
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
    event.preventDefault()
    void run()
  }

  return (
    <form className="try" ref={form} noValidate onSubmit={submit} onKeyDown={onKeyDown} onMouseDown={keepFocus}>
      <div className="row">
        <h3 className="mono w5 cut">
          <VisibleText text={tool.name} />
        </h3>
        <span className="grow" />
        <span className="seg sm" role="group" aria-label="Input">
          {ways.map(([each, words]) => (
            <button key={each} type="button" aria-pressed={way === each} onClick={() => show(each)}>
              {words}
            </button>
          ))}
        </span>
      </div>
      {tool.description !== undefined && (
        <p className="t2 s12 try-d">
          <VisibleText text={tool.description} />
        </p>
      )}
      {way === 'form' && fields.length === 0 && <p className="t3 s12">It takes no arguments.</p>}
      {way === 'form' && (
        <SchemaForm
          fields={fields}
          parts={parts}
          errors={errors}
          onChange={setParts}
          onLeave={(path) => setLeft((before) => new Set(before).add(path))}
        />
      )}
      {isJson && <JsonInput text={json} error={'error' in written ? written.error : undefined} onChange={setJson} />}
      {way === 'schema' && (
        <pre className="code well res-text" tabIndex={0} aria-label="Schema of the arguments">
          <JsonText text={JSON.stringify(tool.inputSchema, null, 2)} />
        </pre>
      )}
      <div className="row try-f">
        {running ? (
          <button type="button" className="btn" onClick={() => running.abort()}>
            Cancel
          </button>
        ) : (
          <button className="btn primary" disabled={isLost || ((hasTried || isJson) && isWrong)}>
            Call <Keys keys={[commandKey, '↵']} />
          </button>
        )}
        <span className="s12 t2" role="status">
          {running ? 'Calling…' : 'The call runs as you and is recorded.'}
        </span>
      </div>
      {tried && <ToolResult tried={tried} />}
    </form>
  )
}

/** The error of a field that is left moves the buttons below it, and the click would miss them. */
function keepFocus(event: MouseEvent): void {
  if (event.target instanceof Element && event.target.closest('button')) event.preventDefault()
}

interface JsonInputProps {
  readonly text: string
  readonly error: string | undefined
  onChange(text: string): void
}

function JsonInput({ text, error, onChange }: JsonInputProps) {
  return (
    <div className="field">
      <label htmlFor="try-json">Arguments</label>
      <span className={error === undefined ? 'area' : 'area bad'}>
        <textarea
          id="try-json"
          className="mono long"
          rows={8}
          spellCheck={false}
          value={text}
          {...(error !== undefined && { 'aria-invalid': true, 'aria-describedby': 'try-json-error' })}
          onChange={(event) => onChange(event.target.value)}
        />
      </span>
      {error !== undefined && (
        <span className="err" id="try-json-error">
          <DecisionMark name="abort" size={12} />
          {error}
        </span>
      )}
    </div>
  )
}

type Written = { readonly value: Readonly<Record<string, unknown>> } | { readonly error: string }

function readJson(text: string): Written {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { value: value as Readonly<Record<string, unknown>> }
    }
    return { error: 'Write an object, such as {"path": "a"}.' }
  } catch (error) {
    return { error: `This is not JSON: ${error instanceof Error ? error.message : ''}` }
  }
}

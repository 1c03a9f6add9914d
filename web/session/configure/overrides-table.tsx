/** One connection of a session, field by field: the value of the connection, the override, and what results. */
import { useEffect, useState } from 'react'
import type { Binding } from '../../../src/api/connector.ts'
import { useHub } from '../../hub/hub-context.tsx'
import { Icon } from '../../parts/icons.tsx'
import { VisibleText } from '../../parts/visible-text.tsx'
import type { BoundDraft } from './bound-draft.ts'
import { bindingArguments, isChanged } from './bound-draft.ts'
import type { OverrideField, Settings } from './override-fields.ts'
import { overrideFields } from './override-fields.ts'
import type { ListedConnector } from './use-configured.ts'

const settleMs = 250

export interface OverridesTableProps {
  readonly session: string
  readonly draft: BoundDraft
  readonly connector: ListedConnector
  onChange(draft: BoundDraft): void
}

export function OverridesTable({ session, draft, connector, onChange }: OverridesTableProps) {
  const { plan, failure } = usePlan(session, draft)
  const resolved = (plan?.resolved ?? {}) as Settings & { readonly missing?: readonly string[] }
  const { label, texts } = draft
  const isProgram = (texts['transport'] ?? connector.transport) === 'stdio'
  const fields = overrideFields.filter((field) => field.for === undefined || (field.for === 'program') === isProgram)
  const setText = (name: string, text: string | undefined) => {
    const { [name]: _, ...others } = texts
    onChange({ ...draft, texts: text === undefined ? others : { ...others, [name]: text } })
  }
  return (
    <>
      <table className="table ovt">
        <thead>
          <tr>
            <th>Field</th>
            <th className="set-c">Connection</th>
            <th>This session</th>
            <th className="set-r">Result</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">
              <code>label</code>
            </th>
            <td className="t2 set-c">
              <code className="cut">{connector.name}</code>
            </td>
            <td>
              <span className="input">
                <input
                  className="mono"
                  aria-label="label override"
                  placeholder={connector.name.replaceAll(/[^a-z0-9]/g, '')}
                  spellCheck={false}
                  value={label}
                  onChange={(event) => onChange({ ...draft, label: event.target.value })}
                />
              </span>
            </td>
            <td className="set-r">
              <code>{plan?.label}</code>
            </td>
          </tr>
          {fields.map((field) => (
            <FieldRow
              key={field.name}
              field={field}
              ofConnection={field.read(connector)}
              text={texts[field.name]}
              result={field.read(resolved)}
              onText={(text) => setText(field.name, text)}
            />
          ))}
        </tbody>
      </table>
      <p className="s12 bind-why" role="status">
        {failure !== undefined ? (
          <span className="stop">
            <VisibleText text={failure} />
          </span>
        ) : (
          <>
            {resolved.missing && (
              <span className="wait">
                Needs {resolved.missing.length === 1 ? 'a variable' : 'variables'}: {resolved.missing.join(', ')} not
                set where the hub was started.
              </span>
            )}
            {plan?.consent && (
              <span className="wait"> If you save it, its program runs as your user, outside of the sandbox.</span>
            )}
          </>
        )}
      </p>
    </>
  )
}

interface FieldRowProps {
  readonly field: OverrideField
  readonly ofConnection: string | undefined
  /** `undefined`: the session has no override. */
  readonly text: string | undefined
  readonly result: string | undefined
  onText(text: string | undefined): void
}

function FieldRow({ field, ofConnection, text, result, onText }: FieldRowProps) {
  return (
    <tr>
      <th scope="row">
        <code title={field.hint}>{field.name}</code>
      </th>
      <td className="t2 set-c">
        <Value text={ofConnection} />
      </td>
      <td>
        {text === undefined ? (
          <button
            className="btn ghost ov"
            aria-label={`Override ${field.name}`}
            onClick={() => onText(ofConnection ?? field.choices?.[0] ?? '')}
          >
            Override
          </button>
        ) : (
          <span className="row ov-edit">
            <OverrideInput field={field} text={text} onText={onText} />
            <button
              className="icon-btn sm"
              aria-label={`Remove the override of ${field.name}`}
              onClick={() => onText(undefined)}
            >
              <Icon name="close" size={12} />
            </button>
          </span>
        )}
      </td>
      <td className={text === undefined ? 't2 set-r' : 'set-r'}>
        <Value text={result} />
      </td>
    </tr>
  )
}

function OverrideInput({ field, text, onText }: Pick<FieldRowProps, 'field' | 'onText'> & { readonly text: string }) {
  const label = `${field.name} override`
  if (field.choices) {
    return (
      <span className="input grow">
        <select className="mono" aria-label={label} value={text} onChange={(event) => onText(event.target.value)}>
          {field.choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      </span>
    )
  }
  if (field.hasLines) {
    return (
      <span className="area grow">
        <textarea
          className="mono"
          rows={Math.max(2, text.split('\n').length)}
          aria-label={label}
          placeholder={field.hint}
          spellCheck={false}
          value={text}
          onChange={(event) => onText(event.target.value)}
        />
      </span>
    )
  }
  return (
    <span className="input grow">
      <input
        className="mono"
        aria-label={label}
        placeholder={field.hint}
        spellCheck={false}
        value={text}
        onChange={(event) => onText(event.target.value)}
      />
    </span>
  )
}

function Value({ text }: { readonly text: string | undefined }) {
  if (text === undefined || text === '') return <span className="t3">none</span>
  return (
    <code className="ov-value" title={text}>
      <VisibleText text={text} />
    </code>
  )
}

interface Plan {
  readonly plan?: Binding | undefined
  readonly failure?: string
}

/** The binding as the hub resolves it, which is what the agent's upstream will really get. */
function usePlan(session: string, draft: BoundDraft): Plan {
  const { call } = useHub()
  const [planned, setPlanned] = useState<Plan>({ plan: draft.saved })
  const asked = JSON.stringify([draft.label, draft.texts, draft.connector])
  useEffect(() => {
    if (!isChanged(draft)) return setPlanned({ plan: draft.saved })
    const ended = new AbortController()
    const ask = async () => {
      const args = { session, dry_run: true, ...bindingArguments(draft) }
      return call<Binding>('bind_connector', args, ended.signal)
    }
    const timer = setTimeout(() => {
      ask().then(
        (plan) => setPlanned({ plan }),
        (error: Error) => ended.signal.aborted || setPlanned((before) => ({ ...before, failure: error.message })),
      )
    }, settleMs)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [call, session, asked, draft.saved])
  return planned
}

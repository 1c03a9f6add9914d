/** Previews an import: new, changed and removed connectors, and the variables that have to be set. */
import { useState } from 'react'
import type { Connector, ConnectorView } from '../../src/api/connector.ts'
import { Icon } from '../parts/icons.tsx'
import { DecisionMark } from '../parts/marks.tsx'
import { VisibleText } from '../parts/visible-text.tsx'

export interface ImportPlan {
  readonly add: readonly Connector[]
  readonly change: readonly ChangedConnector[]
  readonly remove: readonly string[]
  readonly secrets: readonly { readonly connector: string; readonly variable: string }[]
  readonly warnings: readonly string[]
}

type ChangedConnector = Connector & { readonly changed: readonly string[] }

export interface ImportPreviewProps {
  readonly plan: ImportPlan | undefined
  readonly failure: string | undefined
  readonly known: readonly ConnectorView[]
  /** There is something to preview. */
  readonly isAsked: boolean
}

export function ImportPreview({ plan, failure, known, isAsked }: ImportPreviewProps) {
  if (failure !== undefined) {
    return (
      <p className="stop s12 imp-none" role="alert">
        <VisibleText text={failure} />
      </p>
    )
  }
  if (!plan) return <p className="t3 s12 imp-none">{isAsked ? 'Reading…' : 'Nothing yet. Nothing is saved.'}</p>
  const { add, change, remove, secrets, warnings } = plan
  const variables = [...new Set(secrets.map(({ variable }) => variable))]
  return (
    <>
      <ul className="imp-l" aria-label="What will happen">
        {add.map((connector) => (
          <li key={connector.name}>
            <Icon name="plus" size={14} />
            <span className="w6">{connector.name}</span>
            <span className="t3">{connector.transport}, new</span>
          </li>
        ))}
        {change.map((connector) => (
          <Change
            key={connector.name}
            connector={connector}
            before={known.find(({ name }) => name === connector.name)}
          />
        ))}
        {remove.map((name) => (
          <li key={name}>
            <Icon name="close" size={14} />
            <span className="w6">{name}</span>
            <span className="t3">removed</span>
          </li>
        ))}
      </ul>
      {add.length + change.length + remove.length === 0 && (
        <p className="t3 s12 imp-none">Nothing changes: these are here already.</p>
      )}
      {variables.length > 0 && (
        <div className="imp-warn">
          <DecisionMark name="waiting" />
          <div>
            <p>
              <b className="w6">Secrets are not stored.</b> Set{' '}
              {variables.length === 1 ? 'the variable' : 'these variables'} where the hub runs:
            </p>
            <pre className="code well" tabIndex={0} aria-label="Variables to set">
              {variables.map((variable) => `export ${variable}=…`).join('\n')}
            </pre>
          </div>
        </div>
      )}
      {warnings.map((warning) => (
        <p key={warning} className="s12 t2 imp-note">
          <DecisionMark name="info" size={12} /> <VisibleText text={warning} />
        </p>
      ))}
    </>
  )
}

interface ChangeProps {
  readonly connector: ChangedConnector
  readonly before: ConnectorView | undefined
}

function Change({ connector, before }: ChangeProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <li>
        <Icon name="edit" size={14} />
        <span className="w6">{connector.name}</span>
        <span className="t3 cut">{connector.changed.join(', ')} changes</span>
        <button className="link s12" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? 'Hide' : 'Show'}
        </button>
      </li>
      {isOpen &&
        connector.changed.map((field) => (
          <li key={field} className="imp-diff s12">
            <code className="del">{textOf(before, field)}</code>
            <code className="ins">{textOf(connector, field)}</code>
          </li>
        ))}
    </>
  )
}

function textOf(connector: object | undefined, field: string): string {
  const value = (connector as Readonly<Record<string, unknown>> | undefined)?.[field]
  return value === undefined ? '(none)' : typeof value === 'string' ? value : JSON.stringify(value)
}

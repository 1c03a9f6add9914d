/** The resources and prompts that a connector offers. */
import type { ConnectorDetail } from '../../src/api/connector.ts'
import { VisibleText } from '../parts/visible-text.tsx'

type Entry = Readonly<Record<string, unknown>>
type Offers = NonNullable<ConnectorDetail['offers']>

export function ResourceList({ offers }: { readonly offers: Offers }) {
  const all = [
    ...offers.resources.map((entry) => ({ entry, address: textOf(entry, 'uri') })),
    ...offers.resource_templates.map((entry) => ({ entry, address: textOf(entry, 'uriTemplate') })),
  ]
  if (all.length === 0) return <p className="t3">It offers no resources.</p>
  return (
    <ul className="o-list">
      {all.map(({ entry, address }, index) => (
        <li key={index}>
          <div className="row">
            <span className="w5 cut">
              <VisibleText text={textOf(entry, 'title') || textOf(entry, 'name')} />
            </span>
            <span className="grow" />
            <span className="s12 t3 nowrap">{textOf(entry, 'mimeType')}</span>
          </div>
          <code className="t2 s12">
            <VisibleText text={address} />
          </code>
          <Description entry={entry} />
        </li>
      ))}
    </ul>
  )
}

export function PromptList({ offers: { prompts } }: { readonly offers: Offers }) {
  if (prompts.length === 0) return <p className="t3">It offers no prompts.</p>
  return (
    <ul className="o-list">
      {prompts.map((entry, index) => (
        <li key={index}>
          <code>
            <VisibleText text={textOf(entry, 'name')} />
          </code>
          <Description entry={entry} />
          {argumentsOf(entry).map((argument, at) => (
            <p key={at} className="s12 t2">
              <code>
                <VisibleText text={textOf(argument, 'name')} />
              </code>{' '}
              {argument['required'] === true && <span className="t3">required </span>}
              <span className="t3">
                <VisibleText text={textOf(argument, 'description')} />
              </span>
            </p>
          ))}
        </li>
      ))}
    </ul>
  )
}

function Description({ entry }: { readonly entry: Entry }) {
  const text = textOf(entry, 'description')
  return text === '' ? null : (
    <p className="s12 t2">
      <VisibleText text={text} />
    </p>
  )
}

function argumentsOf({ arguments: given }: Entry): readonly Entry[] {
  return Array.isArray(given) ? (given as Entry[]) : []
}

function textOf(entry: Entry, field: string): string {
  const value = entry[field]
  return typeof value === 'string' ? value : ''
}

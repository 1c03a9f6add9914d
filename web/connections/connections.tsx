/** Connections: the MCP servers that sessions use, the state of each, and one of them in detail. */
import { useRef, useState } from 'react'
import type { ConnectorView } from '../../src/api/connector.ts'
import { useKeys } from '../app/keys.ts'
import { PageLink } from '../app/link.tsx'
import { usePageTitle } from '../app/page-title.ts'
import { go } from '../app/router.ts'
import type { SectionProps } from '../app/sections.ts'
import { useIsLost } from '../hub/hub-context.tsx'
import { Icon } from '../parts/icons.tsx'
import { DecisionMark } from '../parts/marks.tsx'
import { useIsPhone } from '../parts/use-is-phone.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { ConnectorDetailView } from './connector-detail.tsx'
import { ConnectorForm } from './connector-form.tsx'
import { kindOf, looks, needsPerson, noteOf, stateOf } from './connector-state.ts'
import { ImportDialog } from './import-dialog.tsx'
import { useConnectors } from './use-connectors.ts'
import './connections.css'

type OpenDialog = 'add' | 'import'

export default function Connections({ id, waiting }: SectionProps) {
  usePageTitle('Connections', waiting)
  const { value: connectors } = useConnectors()
  const isLost = useIsLost()
  const isPhone = useIsPhone()
  const [text, setText] = useState('')
  const [dialog, setDialog] = useState<OpenDialog>()
  const field = useRef<HTMLInputElement>(null)
  const found = connectors?.filter((each) => matches(each, text)) ?? []
  // On a desktop, the first one is shown at once.
  const chosen = id ?? (isPhone ? undefined : found[0]?.name)
  const shown = connectors?.find(({ name }) => name === chosen)
  useKeys({
    '/': () => field.current?.focus(),
    n: () => isLost || setDialog('add'),
    i: () => isLost || setDialog('import'),
  })
  function onSaved(name: string | undefined): void {
    setDialog(undefined)
    if (name !== undefined) go({ is: 'connections', id: name })
  }
  return (
    <main className="main" id="main">
      <h1 className="sr">Connections</h1>
      <header className="bar c-bar">
        <span className="bt">Connections</span>
        <Counts connectors={connectors ?? []} />
        <span className="grow" />
        <label className="input soft filter-in">
          <Icon name="search" size={14} />
          <input
            ref={field}
            aria-label="Filter connections"
            placeholder="Name or tool"
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => event.key === 'Escape' && (setText(''), event.currentTarget.blur())}
          />
          <kbd aria-hidden="true">/</kbd>
        </label>
        <button className="btn" disabled={isLost} onClick={() => setDialog('import')}>
          <Icon name="paste" size={14} />
          Import
          <kbd aria-hidden="true">I</kbd>
        </button>
        <button className="btn primary" disabled={isLost} onClick={() => setDialog('add')}>
          <Icon name="plus" size={14} />
          Add
          <kbd aria-hidden="true">N</kbd>
        </button>
      </header>
      <div className="panes">
        <section className="pane list" aria-label="All connections">
          <div className="scroll" tabIndex={0} role="region" aria-label="List of connections">
            {connectors?.length === 0 && (
              <p className="c-empty t2">
                No connections yet. Add an MCP server, or import the ones that your other clients use. Sessions get its
                tools under your policy.
              </p>
            )}
            {found.length === 0 && text !== '' && <p className="c-empty t3">Nothing matches.</p>}
            <ul>
              {found.map((each) => (
                <ConnectorItem key={each.name} connector={each} isChosen={each.name === chosen} />
              ))}
            </ul>
          </div>
        </section>
        {shown && <ConnectorDetailView key={shown.name} listed={shown} />}
        {!shown && connectors && id !== undefined && (
          <p className="pane detail t3 c-empty">There is no connection “{id}”. Perhaps it was removed.</p>
        )}
      </div>
      {dialog === 'add' && <ConnectorForm onClose={() => setDialog(undefined)} onSaved={onSaved} />}
      {dialog === 'import' && (
        <ImportDialog known={connectors ?? []} onClose={() => setDialog(undefined)} onImported={onSaved} />
      )}
    </main>
  )
}

function Counts({ connectors }: { readonly connectors: readonly ConnectorView[] }) {
  const states = connectors.map(stateOf)
  const needing = states.filter(needsPerson).length
  return (
    <span className="s12 t3 desk-only">
      {states.filter((state) => state === 'running').length} running
      {needing > 0 && (
        <>
          <span className="sep" />
          {needing} {needing === 1 ? 'needs' : 'need'} you
        </>
      )}
    </span>
  )
}

function ConnectorItem({ connector, isChosen }: { readonly connector: ConnectorView; readonly isChosen: boolean }) {
  const state = stateOf(connector)
  const { words, mark, tone } = looks[state]
  return (
    <li>
      <PageLink
        className="list-row"
        data-item
        to={{ is: 'connections', id: connector.name }}
        {...(isChosen && { 'aria-current': 'true' })}
      >
        <DecisionMark name={mark} />
        <span className="q-main">
          <span className="row">
            <span className="w6 cut">{connector.name}</span>
            <span className="grow" />
            <span className="s12 t3">{kindOf(connector)}</span>
          </span>
          <span className="row s12">
            <span className={`nowrap ${tone === 'wait' || tone === 'stop' ? tone : 't2'}`}>{words}</span>
            <span className="t3 cut">
              <VisibleText text={noteOf(connector)} />
            </span>
          </span>
        </span>
      </PageLink>
    </li>
  )
}

function matches({ name, tools = [] }: ConnectorView, text: string): boolean {
  const wanted = text.trim().toLowerCase()
  return [name, ...tools].some((word) => word.toLowerCase().includes(wanted))
}

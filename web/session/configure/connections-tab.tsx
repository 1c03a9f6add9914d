/** The connections of a session: which it uses, and what is different for it. */
import { useState } from 'react'
import { counted } from '../../parts/amounts.ts'
import { DecisionMark, StateMark } from '../../parts/marks.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Switch } from '../../parts/switch.tsx'
import { VisibleText } from '../../parts/visible-text.tsx'
import type { BoundDraft } from './bound-draft.ts'
import { newDraft } from './bound-draft.ts'
import { OverridesTable } from './overrides-table.tsx'
import type { ListedConnector, SeenTool } from './use-configured.ts'
import { isSeen } from './use-configured.ts'

export interface ConnectionsTabProps {
  readonly session: string
  readonly connectors: readonly ListedConnector[]
  readonly drafts: readonly BoundDraft[]
  readonly tools: readonly SeenTool[]
  onChange(drafts: readonly BoundDraft[]): void
}

export function ConnectionsTab({ session, connectors, drafts, tools, onChange }: ConnectionsTabProps) {
  const [open, setOpen] = useState<string>()
  const used = drafts.filter(({ isOn }) => isOn).length
  function add(connector: string): void {
    const draft = newDraft(connector)
    onChange([...drafts, draft])
    setOpen(draft.key)
  }
  const replace = (draft: BoundDraft) => onChange(drafts.map((each) => (each.key === draft.key ? draft : each)))
  return (
    <>
      <div className="row cfg-add">
        <span className="input sel2">
          <Icon name="plus" size={14} />
          <select aria-label="Add a connection" value="" onChange={(event) => add(event.target.value)}>
            <option value="" disabled>
              Add a connection
            </option>
            {connectors
              .filter(({ enabled }) => enabled)
              .map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
          </select>
          <Icon name="down" size={12} />
        </span>
        <span className="s12 t3">
          {connectors.length} installed, {used} in use. Changes reach the agent at its next call.
        </span>
      </div>
      {drafts.length === 0 && (
        <p className="t2 cfg-none">
          This session uses no connection.
          {connectors.length === 0 && ' The hub has none yet: add one under Connections.'}
        </p>
      )}
      {drafts.map((draft) => (
        <Bound
          key={draft.key}
          session={session}
          draft={draft}
          connector={connectors.find(({ name }) => name === draft.connector)}
          toolCount={tools.filter((tool) => tool.mount === draft.saved?.label && isSeen(tool)).length}
          isOpen={open === draft.key}
          onOpen={() => setOpen(open === draft.key ? undefined : draft.key)}
          onChange={replace}
          onRemove={() => onChange(drafts.filter(({ key }) => key !== draft.key))}
        />
      ))}
    </>
  )
}

interface BoundProps {
  readonly session: string
  readonly draft: BoundDraft
  readonly connector: ListedConnector | undefined
  readonly toolCount: number
  readonly isOpen: boolean
  onOpen(): void
  onChange(draft: BoundDraft): void
  onRemove(): void
}

function Bound({ session, draft, connector, toolCount, isOpen, onOpen, onChange, onRemove }: BoundProps) {
  const { saved, isOn, label, texts } = draft
  const overrides = Object.keys(texts).length
  const shownLabel = label.trim() === '' ? draft.connector.replaceAll(/[^a-z0-9]/g, '') : label
  const reason = saved?.upstream?.reason
  // A connection that was only just added is dropped, and a saved one is switched off until it is saved.
  const onSwitch = (next: boolean) => (next || saved ? onChange({ ...draft, isOn: next }) : onRemove())
  return (
    <section className={isOpen ? 'bind open' : 'bind'} aria-label={draft.connector}>
      <div className="row bh">
        <button className="row bh-open grow" aria-expanded={isOpen} onClick={onOpen}>
          <UpstreamMark draft={draft} />
          <span className="w6 cut">{draft.connector}</span>
          <span className="t3 s12 cut">
            as <code>{shownLabel}</code>
            {overrides > 0 && `, ${overrides} ${overrides === 1 ? 'override' : 'overrides'}`}
          </span>
          <span className="grow" />
          <span className="s12 t3 nowrap">{stateWords(draft, connector, toolCount)}</span>
          <Icon name={isOpen ? 'up' : 'down'} size={12} />
        </button>
        <Switch label={`${draft.connector} on`} isOn={isOn} onChange={onSwitch} />
      </div>
      {isOn && reason !== undefined && (
        <p className="s12 stop bind-why">
          <VisibleText text={reason} />
        </p>
      )}
      {isOpen && connector && (
        <OverridesTable session={session} draft={draft} connector={connector} onChange={onChange} />
      )}
    </section>
  )
}

function stateWords({ saved, isOn }: BoundDraft, connector: ListedConnector | undefined, toolCount: number): string {
  if (!isOn) return 'off after saving'
  if (!saved) return 'new'
  if (connector?.enabled === false) return 'switched off for all'
  return counted(toolCount, 'tool')
}

function UpstreamMark({ draft: { saved, isOn } }: { readonly draft: BoundDraft }) {
  const state = saved?.upstream?.is
  if (!isOn || state === undefined || state === 'stopped')
    return <StateMark state="idle" size={12} label="Not running" />
  if (state === 'running') return <DecisionMark name="running" size={12} label="Running" />
  return state === 'failed' ? (
    <StateMark state="failed" size={12} label="Failed" />
  ) : (
    <StateMark state="starting" size={12} label="Starting" />
  )
}

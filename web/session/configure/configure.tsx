/** The settings of a session's agent: its connections, its policy, its terminal tools, its model. Saved together. */
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import type { Session } from '../../../src/api/session.ts'
import type { Thread } from '../../../src/api/thread.ts'
import { terminalToolNames } from '../../../src/api/terminal-tools.ts'
import { commandKey } from '../../app/keys.ts'
import { go } from '../../app/router.ts'
import { useHub, useIsLost } from '../../hub/hub-context.tsx'
import { Keys } from '../../parts/keys-hint.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { sizeText } from '../../parts/size-text.ts'
import { Tabs, withCount } from '../../parts/tabs.tsx'
import { VisibleText } from '../../parts/visible-text.tsx'
import { type BoundDraft, draftOf, isChanged, saveBindings } from './bound-draft.ts'
import { ConnectionsTab } from './connections-tab.tsx'
import { ModelTab, type ModelChoice, isOtherModel, presentChoice, switchArguments, useAgents } from './model-tab.tsx'
import { PolicyTab } from './policy-tab.tsx'
import { TerminalToolsTab } from './terminal-tools-tab.tsx'
import { isSeen, useAllConnectors, useBindings, useSeenTools, useSessionPolicy } from './use-configured.ts'
import './configure.css'

type TabName = 'connections' | 'policy' | 'tools' | 'model'

const tabNames: Readonly<Record<TabName, string>> = {
  connections: 'Connections',
  policy: 'Policy',
  tools: 'Terminal tools',
  model: 'Model',
}

export default function Configure({ session, onClose }: { readonly session: Session; onClose(): void }) {
  const { call } = useHub()
  const isLost = useIsLost()
  const { value: bindings, refused } = useBindings(session)
  const { value: connectors = [] } = useAllConnectors()
  const { value: policy } = useSessionPolicy(session)
  const { value: seen } = useSeenTools(session)
  const agents = useAgents()
  const [tab, setTab] = useState<TabName>('connections')
  const [edited, setEdited] = useState<readonly BoundDraft[]>()
  const [source, setSource] = useState<string>()
  const [tools, setTools] = useState<readonly string[]>()
  const [choice, setChoice] = useState<ModelChoice>()
  const [failure, setFailure] = useState<string>()
  const [isSaving, setIsSaving] = useState(false)

  const drafts = edited ? withLatest(edited, bindings ?? []) : (bindings ?? []).map(draftOf)
  const shownTools = tools ?? session.terminal_tools

  /** Parts saved before a failure stay saved, and the tab with the failure is shown. */
  async function save(): Promise<void> {
    if (isSaving || isLost) return
    setIsSaving(true)
    setFailure(undefined)
    let at: TabName = 'connections'
    try {
      if (drafts.some(isChanged)) await saveBindings(call, session.id, drafts)
      setEdited(undefined)
      at = 'policy'
      if (policy && source !== undefined && source !== policy.source) {
        await call('set_policy', { scope: 'session', target: session.id, source, if_version: policy.version })
      }
      setSource(undefined)
      at = 'tools'
      if (tools) await call('update_session', { name: session.id, tools })
      setTools(undefined)
      at = 'model'
      if (choice && isOtherModel(session, choice)) {
        const args = { session: session.id, ...switchArguments(choice, agents) }
        const { session: next } = await call<Thread>('switch_provider', args)
        if (next !== undefined && next !== session.name) go({ is: 'session', name: next })
      }
      onClose()
    } catch (error) {
      setTab(at)
      setFailure(error instanceof Error ? error.message : String(error))
    } finally {
      setIsSaving(false)
    }
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
    event.preventDefault()
    void save()
  }

  const contents: Readonly<Record<TabName, ReactNode>> = {
    connections: (
      <ConnectionsTab
        session={session.id}
        connectors={connectors}
        drafts={drafts}
        tools={seen?.tools ?? []}
        onChange={setEdited}
      />
    ),
    policy: policy && (
      <PolicyTab session={session.id} source={source ?? policy.source} saved={policy.source} onChange={setSource} />
    ),
    tools: <TerminalToolsTab tools={shownTools} onChange={setTools} />,
    model: <ModelTab session={session} choice={choice ?? presentChoice(session)} onChange={setChoice} />,
  }
  return (
    <Sheet title={`Configure ${session.name}`} className="cfg" onClose={onClose}>
      <div className="cfg-in" onKeyDown={onKeyDown}>
        <Tabs<TabName>
          label="What to configure"
          className="tabs"
          tabs={[
            { id: 'connections', title: withCount(tabNames.connections, drafts.filter(({ isOn }) => isOn).length) },
            { id: 'policy', title: tabNames.policy },
            { id: 'tools', title: withCount(tabNames.tools, `${shownTools.length} of ${terminalToolNames.length}`) },
            { id: 'model', title: tabNames.model },
          ]}
          chosen={tab}
          onChoose={setTab}
        />
        <div className="cfg-b" role="tabpanel" aria-label={tabNames[tab]}>
          {refused !== undefined && <p className="stop">{refused}</p>}
          {contents[tab]}
        </div>
        <footer className="row cfg-f">
          {failure === undefined ? (
            <span className="s12 t3 grow">
              {seen &&
                `The agent sees ${seen.tools.filter(isSeen).length} tools, ${sizeText(seen.list_bytes)} of schema.`}
            </span>
          ) : (
            <span className="s12 stop grow" role="alert">
              <VisibleText text={failure} />
            </span>
          )}
          <button className="btn lg" onClick={onClose}>
            Cancel <Keys keys={['esc']} />
          </button>
          <button className="btn lg primary" disabled={isLost || isSaving} onClick={() => void save()}>
            Save <Keys keys={[commandKey, '↵']} />
          </button>
        </footer>
      </div>
    </Sheet>
  )
}

/** A connection that changes at the hub meanwhile shows its new state beside the edits. */
function withLatest(
  edited: readonly BoundDraft[],
  bindings: readonly NonNullable<BoundDraft['saved']>[],
): readonly BoundDraft[] {
  return edited.map((draft) => {
    const saved = bindings.find(({ label }) => label === draft.saved?.label)
    return saved ? { ...draft, saved } : draft
  })
}

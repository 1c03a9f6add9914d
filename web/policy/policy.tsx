/** Policy: what agents may do. Edited, checked, tried on the record and saved; with proposals, grants and the history. */
import { Suspense, lazy, useState } from 'react'
import * as Menu from '@radix-ui/react-dropdown-menu'
import { commandKey, useKeys } from '../app/keys.ts'
import { PageLink } from '../app/link.tsx'
import { usePageTitle } from '../app/page-title.ts'
import { go } from '../app/router.ts'
import type { SectionProps } from '../app/sections.ts'
import { effects } from '../../src/api/policy.ts'
import { Editor } from '../editor/editor.tsx'
import { Icon } from '../parts/icons.tsx'
import { Keys } from '../parts/keys-hint.tsx'
import { DecisionMark, StateMark } from '../parts/marks.tsx'
import { useIsPhone } from '../parts/use-is-phone.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { CheckCall } from './check-call.tsx'
import { completePolicy } from './complete-policy.ts'
import { Grants } from './grants.tsx'
import { History, VersionView } from './history.tsx'
import { Limits } from './limits.tsx'
import { useToolNames, versionName } from './policy-data.ts'
import { PolicyList } from './policy-list.tsx'
import { idOf, placeIn, titleOf } from './policy-place.ts'
import { type PolicyWork, usePolicyWork } from './policy-work.ts'
import { Proposals } from './proposals.tsx'
import { SimulationPane } from './simulation.tsx'
import { useSimulation } from './simulate.ts'
import { useStateFor } from './use-state-for.ts'
import './policy.css'

const Diff = lazy(async () => ({ default: (await import('../parts/diff.tsx')).Diff }))

type View = { readonly is: 'editor' } | { readonly is: 'diff' } | { readonly is: 'version'; readonly version: number }

const editorView: View = { is: 'editor' }

export default function Policy({ id, waiting }: SectionProps) {
  usePageTitle('Policy', waiting)
  const isPhone = useIsPhone()
  // On a desktop, the policy of the hub is shown at once.
  const shown = id ?? (isPhone ? undefined : 'hub')
  const work = usePolicyWork(placeIn(shown ?? 'hub'))
  const [view, setView] = useStateFor<View>(idOf(work.place), editorView)
  const [isChecking, setIsChecking] = useState(false)
  const simulating = useSimulation(work.place, work.text)
  const isVersionShown = view.is === 'version' && shown !== undefined
  useKeys({
    'mod+s': work.save,
    'mod+enter': () => simulating.run(),
    c: () => setIsChecking(true),
  })
  return (
    <main className="main" id="main">
      <h1 className="sr">Policy</h1>
      <header className="bar pol-bar">
        {id !== undefined && (
          <PageLink className="icon-btn phone-only" to={{ is: 'policy', id: undefined }} aria-label="Back">
            <Icon name="back" size={20} />
          </PageLink>
        )}
        <span className="bt">Policy</span>
        <span className="s12 t3 cut">
          {shown !== undefined && titleOf(work.place).toLowerCase()}
          <span className="desk-only">
            <span className="sep" />
            strictest match wins, order never matters
          </span>
        </span>
        <span className="grow" />
        {shown !== undefined && (
          <Actions work={work} view={view} onView={setView} onCheck={() => setIsChecking(true)} />
        )}
      </header>
      <div className="panes">
        <section className="pane list narrow" aria-label="Policies">
          <div className="scroll" tabIndex={0} role="region" aria-label="List of policies">
            <PolicyList shown={shown} />
            <Proposals />
            <Grants />
            <History
              place={work.place}
              shown={isVersionShown ? view.version : undefined}
              onShow={(version) => {
                setView({ is: 'version', version })
                if (shown === undefined) go({ is: 'policy', id: idOf(work.place) })
              }}
            />
          </div>
        </section>
        {shown !== undefined && (
          <div className="pane detail pol">
            <Notices work={work} onShowNewest={(version) => setView({ is: 'version', version })} />
            {isVersionShown ? (
              <VersionView
                place={work.place}
                version={view.version}
                onBack={() => setView(editorView)}
                onRestore={(source) => {
                  work.setText(source)
                  setView(editorView)
                }}
              />
            ) : (
              <>
                <Text work={work} isDiff={view.is === 'diff'} />
                <SimulationPane place={work.place} text={work.text} simulating={simulating} />
              </>
            )}
            <Limits />
          </div>
        )}
      </div>
      {isChecking && (
        <CheckCall
          place={work.place}
          draft={work.isEdited ? work.text : undefined}
          onClose={() => setIsChecking(false)}
        />
      )}
    </main>
  )
}

interface ActionsProps {
  readonly work: PolicyWork
  readonly view: View
  onView(view: View): void
  onCheck(): void
}

function Actions({ work, view, onView, onCheck }: ActionsProps) {
  const { document, isEdited, canSave } = work
  if (!document) return null
  const isDiff = view.is === 'diff'
  const diffWords = isDiff ? 'Back to the editor' : `Diff with ${versionName(document)}`
  const canDiff = isEdited || isDiff
  const switchDiff = () => onView(isDiff ? editorView : { is: 'diff' })
  return (
    <>
      <Menu.Root>
        <Menu.Trigger className="icon-btn phone-only" aria-label="More">
          <Icon name="more" size={20} />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Content className="menu" align="end" collisionPadding={8}>
            <Menu.Item onSelect={onCheck}>Check one call</Menu.Item>
            {canDiff && <Menu.Item onSelect={switchDiff}>{diffWords}</Menu.Item>}
          </Menu.Content>
        </Menu.Portal>
      </Menu.Root>
      <button className="btn desk-only" onClick={onCheck}>
        Check one call<kbd aria-hidden="true">C</kbd>
      </button>
      <button className="btn desk-only" disabled={!canDiff} onClick={switchDiff}>
        {diffWords}
      </button>
      <button className="btn primary" disabled={!canSave} onClick={work.save}>
        Save as v{document.version + 1}
        <Keys keys={[commandKey, 'S']} />
      </button>
    </>
  )
}

function Text({ work, isDiff }: { readonly work: PolicyWork; readonly isDiff: boolean }) {
  const { place, document, refused, text, checked, setText } = work
  const { value: tools = [] } = useToolNames()
  if (!document) return <div className="ed">{refused !== undefined && <p className="t3 p-6">{refused}</p>}</div>
  if (isDiff) {
    return (
      <div className="ed-diff scroll">
        <Suspense>
          <Diff before={document.source} after={text} />
        </Suspense>
      </div>
    )
  }
  return (
    <Editor
      key={idOf(place)}
      language="yaml"
      label={`Policy of the ${titleOf(place).toLowerCase()}`}
      value={text}
      onChange={setText}
      saved={document.source}
      notes={checked.notes}
      numbers={checked.numbers}
      keywords={effects}
      complete={(before) => completePolicy(before, tools)}
    />
  )
}

/** The notices that a person should see before saving. */
function Notices({ work, onShowNewest }: { readonly work: PolicyWork; onShowNewest(version: number): void }) {
  const { document, failure, isOutdated, isEdited, text } = work
  if (!document) return null
  const { version, saved_by: by } = document
  return (
    <div role="status">
      {isOutdated && (
        <div className="pol-note row">
          <StateMark state="waiting" />
          <span>
            <b className="w6">
              v{version} was saved{by !== undefined && ` by ${by}`} while you edited.
            </b>{' '}
            Your text is kept.{' '}
            <button className="link" onClick={() => onShowNewest(version)}>
              Show v{version}
            </button>{' '}
            <button className="link" onClick={work.keepMine}>
              Keep mine
            </button>{' '}
            <button className="link" onClick={work.dropDraft}>
              Take v{version}
            </button>
          </span>
        </div>
      )}
      {document.fault !== undefined && (
        <div className="pol-note stop-note row">
          <DecisionMark name="abort" />
          <span>
            <b className="w6">The saved policy cannot be used, so no call is let through.</b>{' '}
            <VisibleText text={document.fault} />
          </span>
        </div>
      )}
      {failure !== undefined && (
        <div className="pol-note stop-note row" role="alert">
          <DecisionMark name="abort" />
          <span>
            <b className="w6">Not saved.</b> <VisibleText text={failure} />
          </span>
        </div>
      )}
      {isEdited && text.trim() === '' && (
        <div className="pol-note row">
          <DecisionMark name="info" />
          <span>
            {work.place.scope === 'hub'
              ? 'An empty text removes your policy: the shipped one applies again.'
              : 'An empty text removes this policy.'}
          </span>
        </div>
      )}
    </div>
  )
}

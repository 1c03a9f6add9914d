/** The pane beside the terminal: the thread with its composer, or one of the other tabs. */
import { Suspense, lazy } from 'react'
import type { Approval } from '../../src/api/approval.ts'
import type { Session } from '../../src/api/session.ts'
import { isOver } from '../../src/api/session-status.ts'
import { Tabs } from '../parts/tabs.tsx'
import { AgentQuestion } from './agent-question.tsx'
import { Ask } from './ask.tsx'
import { Composer } from './composer.tsx'
import type { FilePlace, OpenFile } from './open-file.ts'
import { type SideTab, type SideTabTitle, nameOf } from './side-tabs.tsx'

const Thread = lazy(() => import('./thread.tsx'))
const ToolsTab = lazy(() => import('./tools-tab.tsx'))
const ApprovalsTab = lazy(() => import('./approvals-tab.tsx'))
const EventsTab = lazy(() => import('./events-tab.tsx'))
const FilesTab = lazy(() => import('./files/files-tab.tsx'))

export interface SidePaneProps {
  readonly session: Session
  readonly approvals: readonly Approval[]
  readonly tabs: readonly SideTabTitle[]
  readonly tab: SideTab
  onTab(tab: SideTab): void
  /** The file that the tab Files shows first. */
  readonly place: FilePlace | undefined
  readonly openFile: OpenFile
}

export function SidePane({ session, approvals, tabs, tab, onTab, place, openFile }: SidePaneProps) {
  return (
    <section className="pane thpane" aria-label={tab === 'thread' ? 'Conversation' : nameOf(tab)}>
      <Tabs className="tabs desk-only" label="Details" tabs={tabs} chosen={tab} onChoose={onTab} />
      <Suspense fallback={<div className="scroll" />}>
        {tab === 'thread' && <Conversation session={session} approvals={approvals} openFile={openFile} />}
        {tab === 'tools' && <ToolsTab session={session} />}
        {tab === 'approvals' && <ApprovalsTab session={session} pending={approvals} />}
        {tab === 'events' && <EventsTab session={session} />}
        {tab === 'files' && <FilesTab session={session} place={place} />}
      </Suspense>
    </section>
  )
}

type ConversationProps = Pick<SidePaneProps, 'session' | 'approvals' | 'openFile'>

function Conversation({ session, approvals, openFile }: ConversationProps) {
  return (
    <>
      {session.thread === undefined ? (
        <div className="scroll thread">
          <div className="track">
            {approvals.map((approval, index) => (
              <Ask key={approval.id} approval={approval} isNext={index > 0} />
            ))}
          </div>
        </div>
      ) : (
        <Thread session={session} id={session.thread} approvals={approvals} openFile={openFile} />
      )}
      {session.question && <AgentQuestion session={session} question={session.question} />}
      {!isOver(session.status) && <Composer session={session} />}
    </>
  )
}

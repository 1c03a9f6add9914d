/** The bar above a session: its state, its layout, and what can be done with it. */
import { Suspense, lazy, useState } from 'react'
import type { Session } from '../../src/api/session.ts'
import { isOver } from '../../src/api/session-status.ts'
import { PageLink } from '../app/link.tsx'
import { useIsLost } from '../hub/hub-context.tsx'
import { Icon, type IconName } from '../parts/icons.tsx'
import { GovernedChip } from '../parts/governed-chip.tsx'
import { StateMark } from '../parts/marks.tsx'
import { costOf, placeOf, shownState, stateWords } from '../parts/session-state.ts'
import { shortAge } from '../parts/time.ts'
import { useNow } from '../parts/use-now.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { SessionMenu } from './session-menu.tsx'
import { StopDialog } from './stop-dialog.tsx'

const Configure = lazy(() => import('./configure/configure.tsx'))

export type Layout = 'terminal' | 'both' | 'thread'

export const layouts: readonly (readonly [Layout, string, IconName])[] = [
  ['terminal', 'Terminal only', 'terminalOnly'],
  ['both', 'Terminal and thread', 'beside'],
  ['thread', 'Thread only', 'threadOnly'],
]

export interface SessionBarProps {
  readonly session: Session
  readonly title: string
  /** `undefined`: there is only one pane. */
  readonly layout: Layout | undefined
  onLayout(layout: Layout): void
}

export function SessionBar({ session, title, layout, onLayout }: SessionBarProps) {
  const isLost = useIsLost()
  const state = shownState(session, isLost)
  const [dialog, setDialog] = useState<'configure' | 'stop'>()
  const close = () => setDialog(undefined)
  const isEnded = isOver(session.status)
  const chip = { waiting: ' wait', working: ' go', failed: ' stop' }[state as string] ?? ''
  return (
    <header className="bar sess-bar">
      <PageLink className="icon-btn phone-only" to={{ is: 'sessions' }} aria-label="Back to sessions">
        <Icon name="back" size={20} />
      </PageLink>
      <StateMark state={state} />
      <h1 className="bt cut">{session.name}</h1>
      <span className={`chip${chip}`}>{stateWords[state]}</span>
      <GovernedChip session={session} />
      <Facts session={session} title={title} />
      <span className="grow" />
      {layout !== undefined && (
        <span className="seg desk-only" role="group" aria-label="Layout">
          {layouts.map(([each, words, icon]) => (
            <button
              key={each}
              className="icon-btn"
              aria-label={words}
              title={words}
              aria-pressed={each === layout}
              onClick={() => onLayout(each)}
            >
              <Icon name={icon} />
            </button>
          ))}
        </span>
      )}
      {!isEnded && (
        <>
          <button className="btn desk-only" disabled={isLost} onClick={() => setDialog('configure')}>
            Configure
          </button>
          <button className="btn desk-only" disabled={isLost} onClick={() => setDialog('stop')}>
            Stop…
          </button>
        </>
      )}
      <SessionMenu session={session} onConfigure={() => setDialog('configure')} onStop={() => setDialog('stop')} />
      {dialog === 'stop' && <StopDialog session={session} onClose={close} />}
      <Suspense>{dialog === 'configure' && <Configure session={session} onClose={close} />}</Suspense>
    </header>
  )
}

function Facts({ session, title }: { readonly session: Session; readonly title: string }) {
  const now = useNow(30_000)
  return (
    <span className="s12 t3 desk-only meta cut">
      {session.template}
      {session.model !== undefined && (
        <>
          <span className="sep" />
          <VisibleText text={session.model} />
        </>
      )}
      {placeOf(session) !== '' && (
        <>
          <span className="sep" />
          <Icon name={session.branch === undefined ? 'folder' : 'branch'} size={12} />
          <span title={session.workspace_path}>
            <VisibleText text={placeOf(session)} />
          </span>
        </>
      )}
      <span className="sep" />
      <span className="num">{shortAge(session.created_at, now)}</span>
      {costOf(session) !== '' && (
        <>
          <span className="sep" />
          <span className="num">{costOf(session)}</span>
        </>
      )}
      {title !== '' && (
        <>
          <span className="sep" />
          <span className="cut">
            <VisibleText text={title} />
          </span>
        </>
      )}
      {session.governed?.unproven && (
        <>
          <span className="sep" />
          <span title={session.governed.reason}>not governed yet</span>
        </>
      )}
      {session.governed && !session.confined && (
        <>
          <span className="sep" />
          <span title="Its program can read and write whatever you can.">not confined</span>
        </>
      )}
      {session.confined?.unlimited && (
        <>
          <span className="sep" />
          <span title="Its program could use up that of the machine.">
            no limit of {session.confined.unlimited.join(' and ')}
          </span>
        </>
      )}
    </span>
  )
}

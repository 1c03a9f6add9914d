/** The frame around every view: rail, banner, dialogs and keys that work everywhere. */
import { Suspense, lazy, useMemo, useState } from 'react'
import type { Session } from '../../src/api/session.ts'
import type { Approval } from '../../src/api/approval.ts'
import { useElsewhereToasts } from '../approvals/answered-elsewhere.ts'
import { useIsLost } from '../hub/hub-context.tsx'
import { usePendingApprovals, useSessions } from '../hub/hub-data.ts'
import { useAnnouncements } from '../notifications/announce.ts'
import { useRenewedPush } from '../notifications/push.ts'
import { stateOf } from '../parts/session-state.ts'
import { SessionView } from '../session/session.tsx'
import { Home } from '../sessions/home.tsx'
import { Banner } from './banner.tsx'
import { BottomBar } from './bottom-bar.tsx'
import { KeySheet } from './key-sheet.tsx'
import { moveFocus, useKeys } from './keys.ts'
import { type Lamp, useFavicon } from './page-title.ts'
import { Palette } from './palette.tsx'
import { Rail } from './rail.tsx'
import { go, useRoute } from './router.ts'
import { sections } from './sections.ts'
import { ShellContext } from './shell-context.ts'
import { Toasts } from './toasts.tsx'

const NewSession = lazy(() => import('../sessions/new-session.tsx'))

type OpenDialog = 'palette' | 'keys' | 'new-session'

export function Shell({ onLogOut }: { onLogOut(): void }) {
  const route = useRoute()
  const isLost = useIsLost()
  const [dialog, setDialog] = useState<OpenDialog>()
  const { value: sessions = [] } = useSessions()
  const { value: approvals = [] } = usePendingApprovals()
  const waiting = countWaiting(sessions, approvals)
  const lamp: Lamp = isLost ? 'stop' : waiting > 0 ? 'wait' : 'go'
  useFavicon(lamp)
  useElsewhereToasts()
  useAnnouncements()
  useRenewedPush()

  const actions = useMemo(
    () => ({
      openPalette: () => setDialog('palette'),
      openNewSession: () => setDialog('new-session'),
      openKeys: () => setDialog('keys'),
      logOut: onLogOut,
    }),
    [onLogOut],
  )
  useKeys(
    {
      'mod+k': actions.openPalette,
      'g s': () => go({ is: 'sessions' }),
      ...Object.fromEntries(sections.map(({ is, key }) => [`g ${key}`, () => go({ is, id: undefined })])),
      n: () => isLost || actions.openNewSession(),
      '?': actions.openKeys,
      j: () => moveFocus(1),
      k: () => moveFocus(-1),
    },
    { everywhere: true },
  )
  const close = () => setDialog(undefined)
  const section = sections.find(({ is }) => is === route.is)
  return (
    <ShellContext value={actions}>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <div className={`app p-${route.is}`} data-view={'id' in route && route.id === undefined ? 'list' : 'detail'}>
        <Rail lamp={lamp} />
        <Banner />
        {route.is === 'sessions' && <Home waiting={waiting} />}
        {section && 'id' in route && (
          <Suspense fallback={<LoadingSection title={section.title} />}>
            <section.View id={route.id} waiting={waiting} />
          </Suspense>
        )}
        {route.is === 'session' && <SessionView key={route.name} name={route.name} waiting={waiting} />}
        <BottomBar />
      </div>
      {dialog === 'palette' && <Palette onClose={close} />}
      {dialog === 'keys' && <KeySheet onClose={close} />}
      <Suspense>{dialog === 'new-session' && <NewSession onClose={close} />}</Suspense>
      <Toasts />
    </ShellContext>
  )
}

/** Has a title, so that a screen reader can say where the person is while the section loads. */
function LoadingSection({ title }: { readonly title: string }) {
  return (
    <main className="main" id="main" aria-busy="true">
      <h1 className="sr">{title}</h1>
    </main>
  )
}

/** The questions that wait for the person: approvals, and sessions that wait for something else. */
function countWaiting(sessions: readonly Session[], approvals: readonly Approval[]): number {
  const others = sessions.filter((session) => stateOf(session) === 'waiting' && session.approvals_pending === 0)
  return approvals.length + others.length
}

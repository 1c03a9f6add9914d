/** The sections on a phone. It is hidden inside a session and inside an approval. */
import { use } from 'react'
import * as Menu from '@radix-ui/react-dropdown-menu'
import { useIsLost } from '../hub/hub-context.tsx'
import { usePendingApprovals } from '../hub/hub-data.ts'
import { Icon } from '../parts/icons.tsx'
import { StateMark } from '../parts/marks.tsx'
import { PageLink } from './link.tsx'
import { type Route, go, useRoute } from './router.ts'
import { sections } from './sections.ts'
import { ShellContext } from './shell-context.ts'
import { switchTheme } from './theme.ts'

export function BottomBar() {
  const route = useRoute()
  const { openNewSession, logOut, openPalette } = use(ShellContext)
  const { value: approvals = [] } = usePendingApprovals()
  const isLost = useIsLost()
  if (route.is === 'session' || (route.is === 'approvals' && route.id !== undefined)) return null
  const current = (is: Route['is']) => (route.is === is ? ({ 'aria-current': 'page' } as const) : {})
  return (
    <nav className="bottom" aria-label="Main, bottom">
      <PageLink to={{ is: 'sessions' }} {...current('sessions')}>
        <Icon name="sessions" size={20} />
        <span>Sessions</span>
      </PageLink>
      <PageLink to={{ is: 'approvals', id: undefined }} {...current('approvals')}>
        <Icon name="approvals" size={20} />
        <span>Approvals</span>
        {approvals.length > 0 && (
          <span className="badge">
            <StateMark state="waiting" size={8} />
            {approvals.length}
          </span>
        )}
      </PageLink>
      <button disabled={isLost} onClick={() => openNewSession()}>
        <Icon name="plus" size={20} />
        <span>New</span>
      </button>
      <Menu.Root>
        <Menu.Trigger>
          <Icon name="rows" size={20} />
          <span>More</span>
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Content className="menu" sideOffset={8} collisionPadding={8}>
            {sections.map(
              ({ is, title }) =>
                is !== 'approvals' && (
                  <Menu.Item key={is} onSelect={() => go({ is, id: undefined })}>
                    {title}
                  </Menu.Item>
                ),
            )}
            <Menu.Item onSelect={openPalette}>Search or run</Menu.Item>
            <Menu.Item onSelect={switchTheme}>Switch theme</Menu.Item>
            <Menu.Item onSelect={logOut}>Log out</Menu.Item>
          </Menu.Content>
        </Menu.Portal>
      </Menu.Root>
    </nav>
  )
}

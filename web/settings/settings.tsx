/** Settings: of the hub (tokens, devices, templates) and of this browser (notifications, colours). */
import type { ComponentType } from 'react'
import { PageLink } from '../app/link.tsx'
import { usePageTitle } from '../app/page-title.ts'
import { go } from '../app/router.ts'
import type { SectionProps } from '../app/sections.ts'
import { Icon, type IconName } from '../parts/icons.tsx'
import { useIsPhone } from '../parts/use-is-phone.ts'
import { Appearance } from './appearance.tsx'
import { HubSettings } from './hub-settings.tsx'
import { statusWords, useStatus } from './hub-status.ts'
import { KeySettings } from './key-settings.tsx'
import { Notifications } from './notifications.tsx'
import { TemplateSettings } from './template-settings.tsx'
import { TerminalSettings } from './terminal-settings.tsx'
import { Tokens } from './tokens.tsx'
import './settings.css'

interface Part {
  readonly id: string
  readonly title: string
  readonly icon: IconName
  readonly View: ComponentType
}

const parts: readonly Part[] = [
  { id: 'tokens', title: 'Tokens', icon: 'key', View: TokensAndNotifications },
  { id: 'notifications', title: 'Notifications', icon: 'bell', View: () => <Scrolled View={Notifications} /> },
  { id: 'templates', title: 'Templates', icon: 'template', View: TemplateSettings },
  { id: 'terminal', title: 'Terminal', icon: 'shell', View: () => <Scrolled View={TerminalSettings} /> },
  { id: 'appearance', title: 'Appearance', icon: 'sun', View: () => <Scrolled View={Appearance} /> },
  { id: 'keys', title: 'Keys', icon: 'keyboard', View: () => <Scrolled View={KeySettings} /> },
  { id: 'hub', title: 'Hub', icon: 'hub', View: () => <Scrolled View={HubSettings} /> },
]

export default function Settings({ id, waiting }: SectionProps) {
  usePageTitle('Settings', waiting)
  const isPhone = useIsPhone()
  const { value: status } = useStatus()
  const shown = parts.find((part) => part.id === (id ?? (isPhone ? undefined : 'tokens')))
  return (
    <main className="main" id="main">
      <h1 className="sr">Settings</h1>
      <header className="bar set-bar">
        {id !== undefined && (
          <button
            className="icon-btn phone-only"
            aria-label="All settings"
            onClick={() => go({ is: 'settings', id: undefined })}
          >
            <Icon name="back" size={20} />
          </button>
        )}
        <span className="bt" aria-hidden="true">
          {isPhone && id !== undefined ? shown?.title : 'Settings'}
        </span>
        <span className="grow" />
        {status && (
          <span className="s12 t3">
            {statusWords(status).map((words, index) => (
              <span key={words}>
                {index > 0 && <span className="sep" />}
                {words}
              </span>
            ))}
          </span>
        )}
      </header>
      <div className="panes">
        <nav className="pane list set-nav" aria-label="Settings">
          <ul className="scroll">
            {parts.map((part) => (
              <li key={part.id}>
                <PageLink
                  className="s-item"
                  data-item
                  to={{ is: 'settings', id: part.id }}
                  {...(part.id === shown?.id && { 'aria-current': 'page' })}
                >
                  <Icon name={part.icon} />
                  <span>{part.title}</span>
                </PageLink>
              </li>
            ))}
          </ul>
        </nav>
        {shown && <shown.View />}
      </div>
    </main>
  )
}

function Scrolled({ View }: { readonly View: ComponentType }) {
  return (
    <div className="pane detail">
      <div className="scroll set" tabIndex={0} role="group" aria-label="Options">
        <View />
      </div>
    </div>
  )
}

function TokensAndNotifications() {
  return (
    <div className="pane detail">
      <div className="scroll set" tabIndex={0} role="group" aria-label="Options">
        <Tokens />
        <Notifications />
      </div>
    </div>
  )
}

/** The menu of less frequent actions on a session. */
import { useState } from 'react'
import * as Menu from '@radix-ui/react-dropdown-menu'
import type { Session } from '../../src/api/session.ts'
import { isOver } from '../../src/api/session-status.ts'
import { go } from '../app/router.ts'
import { showFailure, showToast } from '../app/toasts.tsx'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { Icon } from '../parts/icons.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { sizeText } from '../parts/size-text.ts'

export interface SessionMenuProps {
  readonly session: Session
  onConfigure(): void
  onStop(): void
}

interface Exported {
  readonly path: string
  readonly bytes: number
}

export function SessionMenu({ session, onConfigure, onStop }: SessionMenuProps) {
  const { call } = useHub()
  const isLost = useIsLost()
  const resume = useResume(session)
  const [exported, setExported] = useState<Exported>()
  const isEnded = isOver(session.status)
  const release = () =>
    void call('release_session', { name: session.id }).then(
      () => showToast('allow', `Released ${session.name}. It keeps running in tmux.`),
      showFailure,
    )
  const exportIt = () => void call<Exported>('export_recording', { name: session.id }).then(setExported, showFailure)
  return (
    <>
      <Menu.Root>
        <Menu.Trigger className="icon-btn" aria-label="More">
          <Icon name="more" />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Content className="menu" align="end" collisionPadding={8}>
            {!isEnded && (
              <Menu.Item className="phone-only" disabled={isLost} onSelect={onConfigure}>
                Configure…
              </Menu.Item>
            )}
            {session.can_resume && (
              <Menu.Item disabled={isLost} onSelect={resume}>
                Resume
              </Menu.Item>
            )}
            {session.can_release && (
              <Menu.Item disabled={isLost} onSelect={release}>
                Release to tmux
              </Menu.Item>
            )}
            <Menu.Item onSelect={() => void copyLink(session)}>Copy the link</Menu.Item>
            {session.terminal && (
              <Menu.Item disabled={isLost} onSelect={exportIt}>
                Export the recording
              </Menu.Item>
            )}
            <Menu.Item disabled={isLost} onSelect={onStop}>
              {isEnded ? 'Remove…' : 'Stop…'}
            </Menu.Item>
          </Menu.Content>
        </Menu.Portal>
      </Menu.Root>
      {exported && <ExportedRecording exported={exported} onClose={() => setExported(undefined)} />}
    </>
  )
}

/** Continues the conversation of an ended session in a new one, and opens that. */
export function useResume({ id }: Session): () => void {
  const { call } = useHub()
  return () =>
    void call<Session>('resume_session', { name: id }).then(({ name }) => go({ is: 'session', name }), showFailure)
}

async function copyLink({ session_url: link }: Session): Promise<void> {
  await copy(link, 'Copied the link. Who opens it logs in.')
}

async function copy(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    showToast('allow', said)
  } catch {
    // Without a secure connection the browser denies access to the clipboard.
    showToast('info', text)
  }
}

function ExportedRecording({ exported: { path, bytes }, onClose }: { readonly exported: Exported; onClose(): void }) {
  return (
    <Sheet title="Exported the recording" className="small" onClose={onClose}>
      <div className="sheet-b">
        <p className="t2">
          An asciicast of {sizeText(bytes)} on the machine of the hub. Play it there with <code>asciinema play</code>.
        </p>
        <pre className="code wrap well mt-3">{path}</pre>
      </div>
      <div className="row sheet-f">
        <span className="grow" />
        <button className="btn lg" onClick={onClose}>
          Close
        </button>
        <button className="btn lg primary" onClick={() => void copy(path, 'Copied the path.')}>
          Copy the path
        </button>
      </div>
    </Sheet>
  )
}

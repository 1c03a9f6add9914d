/** The sessions that use a connector, and the state of its upstream in each. */
import { useState } from 'react'
import type { ConnectorDetail } from '../../src/api/connector.ts'
import { PageLink } from '../app/link.tsx'
import { showFailure } from '../app/toasts.tsx'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { DecisionMark, type DecisionMarkName } from '../parts/marks.tsx'
import { VisibleText } from '../parts/visible-text.tsx'

type Upstream = ConnectorDetail['upstreams'][number]

const looks: Readonly<Record<Upstream['is'], readonly [DecisionMarkName, string]>> = {
  running: ['running', 'Running'],
  initializing: ['connecting', 'Starting'],
  failed: ['abort', 'Failed'],
  stopped: ['idle', 'Stopped'],
}

export function UsedBy({ connector: { name, sessions, upstreams } }: { readonly connector: ConnectorDetail }) {
  if (sessions.length === 0) {
    return <p className="t3">No running session uses it. Choose it for a new session, or in the settings of one.</p>
  }
  return (
    <ul className="o-list">
      {sessions.map((session) => {
        const own = upstreams.filter((upstream) => upstream.session === session)
        return (
          <li key={session}>
            <div className="row">
              <PageLink className="link" to={{ is: 'session', name: session }}>
                {session}
              </PageLink>
              {own.length === 0 && <span className="t3 s12">Starts when its agent connects</span>}
              <span className="grow" />
              {own.length > 0 && <RestartButton name={name} session={session} />}
            </div>
            {own.map((upstream) => (
              <UpstreamLine key={upstream.label} upstream={upstream} />
            ))}
          </li>
        )
      })}
    </ul>
  )
}

function UpstreamLine({ upstream }: { readonly upstream: Upstream }) {
  const { is, label, reason, version, breach, warning, dropped } = upstream
  const [mark, words] = looks[is]
  const notes = [
    reason,
    breach && `It broke the protocol: ${breach.sentence}`,
    warning,
    dropped !== undefined && `${dropped} of its answers belonged to no request.`,
  ].filter((note) => typeof note === 'string')
  return (
    <>
      <p className="row s12 t2">
        <DecisionMark name={mark} size={12} />
        {words} as <code>{label}</code>
        {version !== undefined && <span className="t3">MCP {version}</span>}
      </p>
      {notes.map((note) => (
        <p key={note} className="s12 t2 used-note">
          <VisibleText text={note} />
        </p>
      ))}
    </>
  )
}

function RestartButton({ name, session }: { readonly name: string; readonly session: string }) {
  const { call } = useHub()
  const isLost = useIsLost()
  const [isBusy, setIsBusy] = useState(false)
  async function restart(): Promise<void> {
    setIsBusy(true)
    await call('restart_connector', { name, session }).catch(showFailure)
    setIsBusy(false)
  }
  return (
    <button className="btn" disabled={isLost || isBusy} onClick={() => void restart()}>
      Restart
    </button>
  )
}

/** The view of a hub without sessions: the form that starts the first one. */
import { SessionForm } from './session-form.tsx'

export function FirstSession() {
  return (
    <main className="main p-empty" id="main">
      <h1 className="sr">Sessions</h1>
      <header className="bar home-bar">
        <span className="bt" aria-hidden="true">
          Sessions
        </span>
      </header>
      <div className="scroll">
        <div className="first">
          <svg className="first-art" viewBox="0 0 640 64" fill="none" aria-hidden="true">
            <g stroke="var(--line2)" strokeWidth="3">
              <path d="M0 50H612" />
              <path d="M150 50 186 18H440l36 32" />
            </g>
            <path d="M612 40v20M620 43v14" stroke="var(--text3)" strokeWidth="2.5" />
            <rect
              x="220"
              y="6"
              width="120"
              height="24"
              rx="2"
              fill="var(--surface)"
              stroke="var(--edge)"
              strokeWidth="1.5"
              strokeDasharray="4 3"
            />
            <path d="M392 18V6" stroke="var(--text3)" strokeWidth="2" />
            <circle cx="392" cy="5" r="5" fill="var(--go)" />
          </svg>
          <h2 className="first-h">Start your first session</h2>
          <p className="t2">
            An agent runs in a terminal of its own. Close this page and it goes on; come back from any browser and the
            screen is there.
          </p>
          <SessionForm withMore={false} />
          <p className="s12 t3 first-note">
            An agent’s own shell and edits pass the policy only where its driver reports them.
          </p>
        </div>
      </div>
    </main>
  )
}

/** Asks for a token: by the printed link, by a one-time code in a link, or pasted. */
import { type FormEvent, useState } from 'react'
import { Icon, Logo } from '../parts/icons.tsx'
import { Check } from '../parts/check.tsx'
import { LoginArt } from './login-art.tsx'
import { keepToken } from './token.ts'

export interface LoginProps {
  /** Why the page asks, if there is a reason that the person should know. */
  readonly why: string | undefined
  onToken(): void
}

export function Login({ why, onToken }: LoginProps) {
  const [token, setToken] = useState('')
  const [inBrowser, setInBrowser] = useState(false)

  function submit(event: FormEvent): void {
    event.preventDefault()
    keepToken(token.trim(), { inBrowser })
    setToken('')
    onToken()
  }

  return (
    <div className="login">
      <main className="lg-l" id="main">
        <div className="lg-in">
          <div className="row lg-brand">
            <Logo size={28} lamp="go" />
            <span>Signalbox</span>
          </div>
          <h1>Log in to {location.hostname}</h1>
          <p className="t2">
            Open the link that the hub printed when it started. It carries your token and logs you in at once.
          </p>
          <pre className="code well lg-cmd">
            <span className="y-p">$ </span>signalbox url <span className="t3"># prints a fresh link</span>
          </pre>
          <div className="or">
            <span>or</span>
          </div>
          <form className="lg-f" onSubmit={submit}>
            <div className="field">
              <label htmlFor="token">Token</label>
              <span className={why === undefined ? 'input lg-i' : 'input lg-i bad'}>
                <Icon name="key" size={14} />
                <input
                  id="token"
                  type="password"
                  placeholder="sb_human_…"
                  autoComplete="off"
                  spellCheck={false}
                  required
                  aria-describedby="login-why"
                  value={token}
                  onChange={(event) => setToken(event.target.value)}
                />
              </span>
              <span id="login-why" className="err" role="status">
                {why}
              </span>
            </div>
            <Check checked={inBrowser} onChange={setInBrowser}>
              Keep me logged in on this browser
            </Check>
            <button className="btn lg primary">Log in</button>
          </form>
          <p className="s12 t3 lg-n">
            The token stays in this tab unless you tick the box. Reading the screen of a session needs one too.
          </p>
        </div>
      </main>
      <aside className="lg-r" aria-label="About">
        <LoginArt />
        <p className="motto">Many trains, one place that sees them all.</p>
      </aside>
    </div>
  )
}

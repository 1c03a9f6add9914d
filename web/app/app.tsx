/** The page: the login, or the hub. A token that is refused leads back to the login; drafts stay. */
import { useCallback, useEffect, useRef, useState } from 'react'
import { type Hub, createHub } from '../hub/hub.ts'
import { HubProvider } from '../hub/hub-context.tsx'
import { Login } from '../login/login.tsx'
import { forgetToken, readToken, takeLoginFromAddress } from '../login/token.ts'
import { hasDraft } from '../parts/drafts.ts'
import { usePageTitle } from './page-title.ts'
import { Shell } from './shell.tsx'

interface Access {
  readonly token: string | undefined
  readonly why?: string | undefined
}

export function App() {
  const [access, setAccess] = useState<Access>()
  /** The token that the hub has accepted. If it is refused later, it was revoked. */
  const [accepted, setAccepted] = useState<string>()

  const logIn = useCallback(async () => {
    const why = await takeLoginFromAddress()
    setAccess({ token: readToken() ?? undefined, why })
  }, [])
  useEffect(() => {
    void logIn()
    // If the printed link is opened in a tab that already shows the page, only the fragment changes.
    const onHash = () => void logIn()
    addEventListener('hashchange', onHash)
    return () => removeEventListener('hashchange', onHash)
  }, [logIn])

  if (!access) return null
  const leave = (why?: string) => {
    if (access.token !== undefined) forgetToken(access.token)
    setAccess({ token: undefined, why })
  }
  if (access.token === undefined) return <LoginPage why={access.why} onToken={logIn} />
  return (
    <LoggedIn
      key={access.token}
      token={access.token}
      onLive={() => setAccepted(access.token)}
      onRefused={(why) => leave(accepted === access.token ? revoked() : why)}
      onLogOut={() => leave()}
    />
  )
}

function revoked(): string {
  return hasDraft()
    ? 'This token was revoked. Log in again; your draft is kept.'
    : 'This token was revoked. Log in again.'
}

function LoginPage({ why, onToken }: { readonly why: string | undefined; onToken(): Promise<void> }) {
  usePageTitle('Log in', 0)
  return <Login why={why} onToken={() => void onToken()} />
}

interface LoggedInProps {
  readonly token: string
  onLive(): void
  onRefused(why: string): void
  onLogOut(): void
}

function LoggedIn(props: LoggedInProps) {
  const { token, onLogOut } = props
  const latest = useRef(props)
  latest.current = props
  const [isAnswered, setIsAnswered] = useState(false)
  const [hub, setHub] = useState<Hub>()
  useEffect(() => {
    const made = createHub({ token, onLoginNeeded: (why) => latest.current.onRefused(why) })
    setHub(made)
    made.feed.link.subscribe(() => {
      if (made.feed.link.get().is === 'live') latest.current.onLive()
      setIsAnswered(true)
    })
    return () => made[Symbol.dispose]()
  }, [token])
  // Until the hub has answered once, it is not known whether the token is valid.
  return (
    hub &&
    isAnswered && (
      <HubProvider value={hub}>
        <Shell onLogOut={onLogOut} />
      </HubProvider>
    )
  )
}

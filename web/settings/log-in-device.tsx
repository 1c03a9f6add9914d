/** Logs another device in, such as a phone: a link that works once, as a QR code. */
import { useEffect, useState } from 'react'
import { useHub } from '../hub/hub-context.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { duration } from '../parts/time.ts'
import { useNow } from '../parts/use-now.ts'
import { CopyButton } from './copy-button.tsx'
import { QrCode } from './qr-code.tsx'

interface Login {
  readonly login_url: string
  readonly expires_at: string
}

export function LogInDevice({ onClose }: { onClose(): void }) {
  const { call } = useHub()
  const [login, setLogin] = useState<Login>()
  const [why, setWhy] = useState<string>()
  const [round, setRound] = useState(0)
  const now = useNow(1_000)
  useEffect(() => {
    const left = new AbortController()
    setWhy(undefined)
    call<Login>('create_login', {}, left.signal)
      .then(setLogin)
      .catch((error: unknown) => {
        if (!left.signal.aborted) setWhy(error instanceof Error ? error.message : String(error))
      })
    return () => left.abort()
  }, [call, round])
  const restMs = login ? Date.parse(login.expires_at) - now : 0
  return (
    <Sheet title="Log in a phone" className="small" onClose={onClose}>
      <div className="sheet-b set-login">
        {why !== undefined && (
          <p className="stop" role="alert">
            {why}
          </p>
        )}
        {login && restMs > 0 && (
          <>
            <QrCode text={login.login_url} label="QR code with the login link" />
            <p>
              Scan it with the phone’s camera. It works once, and gives the phone a token of its own, which you can
              revoke here.
            </p>
            <div className="row tokline">
              <code className="cut">{login.login_url}</code>
              <CopyButton text={login.login_url} />
            </div>
            <p className="s12 t3 num">Valid for {duration(restMs)}</p>
          </>
        )}
        {login && restMs <= 0 && (
          <div className="row">
            <span>The code has expired.</span>
            <button className="btn" onClick={() => setRound(round + 1)}>
              New code
            </button>
          </div>
        )}
      </div>
    </Sheet>
  )
}

/** The addresses of the pages, as people open them. */
import { addressFromElsewhere } from '../base/address-from-elsewhere.ts'
import { HubError } from '../base/hub-error.ts'

export interface PageAddresses {
  /** The page that follows a session. */
  ofSession(name: string): string
  /** The first page, or the page of a session, for another device. Throws if no other device can reach the hub. */
  forDevice(session: string | undefined): string
}

export interface PageAddressesOptions {
  /** The setting `session_follow_base`. It is trusted: only the person knows whether a proxy or tunnel is there. */
  readonly base: string | undefined
  readonly followPath: string
  /** The address the hub listens on. */
  readonly host: string
  readonly originAt: (host: string) => string
}

export function createPageAddresses({ base, followPath, host, originAt }: PageAddressesOptions): PageAddresses {
  // Looked up each time: a laptop gets another address in another network.
  const outerBase = () => base ?? outerOrigin(addressFromElsewhere(host))
  const outerOrigin = (address: string | undefined) => (address === undefined ? undefined : originAt(address))
  const pageAt = (start: string, session: string) => `${start}${followPath}${session}`
  return {
    ofSession: (name) => pageAt(outerBase() ?? originAt(host), name),
    forDevice(session) {
      const start = outerBase()
      if (start === undefined) throw unreachable(host)
      return session === undefined ? `${start}/` : pageAt(start, session)
    },
  }
}

function unreachable(host: string): HubError {
  return new HubError(
    'unavailable',
    `The hub listens on ${host}, so no other device can reach it. Start it with --host 0.0.0.0, best with SIGNALBOX_TLS_CERT and SIGNALBOX_TLS_KEY. ` +
      'Or put a proxy or a tunnel in front of it, and set SIGNALBOX_SESSION_FOLLOW_BASE to its address. docs/guides/from-elsewhere.md shows both.',
  )
}

/**
 * Which addresses the hub sends push messages to. The browser names the address. Without a check, a person's token
 * could make the hub send requests into its own network.
 */
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { type LookupFunction, isIP } from 'node:net'
import { zoneOf } from '../base/address-zone.ts'
import { HubError } from '../base/hub-error.ts'

export interface EndpointRules {
  /** Also allows services in a private network, and services without TLS. */
  readonly allowsPrivate: boolean
}

/** Throws if the hub may not send there. Names are resolved later, with each connection. */
export function checkEndpoint(endpoint: string, { allowsPrivate }: EndpointRules): void {
  const url = URL.parse(endpoint)
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? ''
  const isWeb = url?.protocol === 'https:' || (allowsPrivate && url?.protocol === 'http:')
  if (!url || !isWeb || url.username !== '' || url.password !== '') {
    throw new HubError('invalid', '"endpoint": pass the https address that the browser gave with its subscription.')
  }
  if (!allowsPrivate && isIP(host) !== 0 && !isPublic(host)) throw privateAddress(host)
}

/** Resolves names when a connection is made, so that a name cannot lead elsewhere after the check. */
export function endpointLookup({ allowsPrivate }: EndpointRules): LookupFunction {
  return (host, options: LookupOptions, callback) => {
    lookup(host, { ...options, all: true }, (error, found: readonly LookupAddress[]) => {
      const allowed = error ? [] : found.filter(({ address }) => allowsPrivate || isPublic(address))
      const [first] = allowed
      if (!first) callback(error ?? privateAddress(host), [])
      else if (options.all) callback(null, [...allowed])
      else callback(null, first.address, first.family)
    })
  }
}

function isPublic(address: string): boolean {
  return zoneOf(address) === 'internet'
}

function privateAddress(host: string): HubError {
  return new HubError(
    'invalid',
    `"endpoint": ${host} is an address of this machine or of a private network. For a push service of your own, set SIGNALBOX_PUSH_PRIVATE_ENDPOINTS to on.`,
  )
}

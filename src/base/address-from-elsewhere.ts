import { networkInterfaces } from 'node:os'
import { isLoopback } from './loopback.ts'

/** The address at which other machines reach a server on this host. `undefined`: they cannot. */
export function addressFromElsewhere(
  host: string,
  interfaces?: ReturnType<typeof networkInterfaces>,
): string | undefined {
  if (isLoopback(host)) return undefined
  if (host !== '0.0.0.0' && host !== '::') return host
  const own = Object.values(interfaces ?? networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ internal }) => !internal),
  )
  const found =
    own.find(({ family }) => family === 'IPv4') ??
    // A link-local address works only together with the name of an interface.
    own.find(({ address }) => host === '::' && !address.startsWith('fe80:'))
  return found?.address
}

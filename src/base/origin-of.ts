/** `http://127.0.0.1:7420`. An IPv6 address gets its brackets. */
export function originOf(scheme: 'http' | 'https', host: string, port: number): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** A server can listen on all addresses, but a client cannot connect to them. */
export function connectableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  return host === '::' ? '::1' : host
}

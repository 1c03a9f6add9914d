/** The same address without TLS. The hub's unix socket speaks plain HTTP, also if the port of the URL speaks TLS. */
export function plainUrl(url: string | URL): string {
  return String(url).replace(/^https:/, 'http:')
}

/** Resources that an upstream lists under addresses of the hub's own: they are shown to nobody, and people are told so. */
import type { UpstreamFacts } from '../mcp/mcp.ts'
import type { Mount } from './mount.ts'

/** Whether an address, or a template of such, is the hub's own. */
export type IsOwn = (uri: string) => boolean

const mostNamed = 3
const longestNamed = 200

export function warningOf({ definitions: { resources, templates } }: Mount, isOwn: IsOwn): string | undefined {
  const listed = [...resources.map(({ uri }) => uri), ...templates.map(({ uriTemplate }) => uriTemplate)]
  const claimed = listed.filter(isOwn)
  if (claimed.length === 0) return undefined
  const named = claimed.slice(0, mostNamed).map((uri) => uri.slice(0, longestNamed))
  const more = claimed.length > named.length ? ` and ${claimed.length - named.length} more` : ''
  return `It lists ${named.join(', ')}${more}: addresses of the hub itself. Its agent is shown the hub's own there.`
}

export function factsOf(mount: Mount, isOwn: IsOwn): UpstreamFacts | undefined {
  if (!mount.upstream) return undefined
  const { status, identity, stderr, breach, dropped } = mount.upstream
  const warning = warningOf(mount, isOwn)
  return { status, identity, stderr, breach, dropped, ...(warning !== undefined && { warning }) }
}

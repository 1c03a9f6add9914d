/** Resources that an upstream lists under the hub's own addresses. Agents do not see them, and people get a warning. */
import type { UpstreamFacts } from '../upstream/upstream.ts'
import type { Mount } from './mount.ts'
import { largestEntry, mostPages } from './mount-lists.ts'

/** Whether an address, or a template of addresses, is the hub's own. */
export type IsOwn = (uri: string) => boolean

const mostNamed = 3
const longestNamed = 200

const cutWarning =
  'It lists more than the hub keeps (upstream_lists_max_mb in all, ' +
  `${largestEntry.bytes / 1024} KiB and ${largestEntry.members} members in one entry); the rest is left out.`

const endlessWarning =
  `The pages of one of its lists do not end: it sends more than ${mostPages}, or a cursor again. ` +
  'The rest is left out, and its lists are read at most once a minute.'

/** Why agents do not see some entries of an upstream. */
export function warningOf(mount: Mount, isOwn: IsOwn): string | undefined {
  const { tooLong } = mount.definitions
  const warnings = [
    claimWarning(mount, isOwn),
    mount.isCut ? cutWarning : undefined,
    mount.isEndless ? endlessWarning : undefined,
    tooLong > 0 ? `${tooLong} of its entries are left out: their names or addresses are too long.` : undefined,
  ].filter((warning) => warning !== undefined)
  return warnings.length > 0 ? warnings.join(' ') : undefined
}

function claimWarning({ definitions: { resources, templates } }: Mount, isOwn: IsOwn): string | undefined {
  const listed = [...resources.map(({ uri }) => uri), ...templates.map(({ uriTemplate }) => uriTemplate)]
  const claimed = listed.filter(isOwn)
  if (claimed.length === 0) return undefined
  const named = claimed.slice(0, mostNamed).map((uri) => uri.slice(0, longestNamed))
  const more = claimed.length > named.length ? ` and ${claimed.length - named.length} more` : ''
  return `It lists ${named.join(', ')}${more}: these are addresses of the hub itself. The agent sees the hub's own resources there.`
}

export function factsOf(mount: Mount, isOwn: IsOwn): UpstreamFacts | undefined {
  if (!mount.upstream) return undefined
  const { status, identity, stderr, output, breach, dropped } = mount.upstream
  const warning = warningOf(mount, isOwn)
  const { resources, templates } = mount.definitions
  const listed = {
    resources: resources.flatMap((each) => each.listed ?? []),
    resourceTemplates: templates.flatMap((each) => each.listed ?? []),
  }
  return { status, identity, stderr, output, breach, dropped, ...listed, ...(warning !== undefined && { warning }) }
}

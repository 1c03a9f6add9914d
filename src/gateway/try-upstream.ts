/** Tries an upstream once to see what it offers. */
import { messageOf } from '../base/hub-error.ts'
import { clientCapabilities } from '../mcp/mcp.ts'
import type { Upstream, UpstreamListener, UpstreamTarget } from '../upstream/upstream.ts'
import type { ListField, Listed, MountLists } from './mount-lists.ts'
import { forAnySession, noLists, readList } from './mount-lists.ts'
import { answerFor } from './relayed-call.ts'
import { rootOf, rootsFor } from './session-roots.ts'

export interface TrialOptions {
  readonly upstreams: { open(target: UpstreamTarget, listener: UpstreamListener): Upstream }
  readonly logins: {
    /** The address that a person has to open, while a login is pending. */
    pending(connector: string): string | undefined
  }
  readonly maxListBytes: number
}

/** Opens an upstream, reads its lists and closes it. */
export function createTrial({ upstreams, logins, maxListBytes }: TrialOptions) {
  return async (target: UpstreamTarget, signal: AbortSignal) => {
    await using upstream = upstreams.open(target, createTrialListener(target))
    const [tried] = await Promise.allSettled([tryUpstream(upstream, signal, maxListBytes)])
    const { stderr } = upstream
    // The upstream may answer, but require more rights for some call.
    const address = logins.pending(target.name)
    if (address !== undefined) return { error: `A person has to log in first: open ${address}`, stderr }
    if (tried.status === 'rejected') return { error: messageOf(tried.reason), stderr }
    const { lists, ...report } = tried.value
    return { report, lists: forAnySession(lists), ownLists: lists }
  }
}

interface UpstreamReport {
  readonly era: 'legacy' | 'modern'
  readonly version: string
  readonly server?: { readonly name: string; readonly version: string }
  readonly tools: readonly string[]
  readonly resources: readonly string[]
  readonly prompts: readonly string[]
  readonly lists: MountLists
}

/** For an upstream that is only tried: there is no client to ask, and its root is the workspace that it gets. */
export function createTrialListener(target: UpstreamTarget): UpstreamListener {
  const { reach } = target
  const workspace = reach.transport === 'stdio' ? reach.workspace : undefined
  return {
    status() {},
    notification() {},
    breach() {},
    ask: (request) => answerFor(request, () => rootsFor(target, workspace === undefined ? [] : [rootOf(workspace)])),
  }
}

async function tryUpstream(upstream: Upstream, signal: AbortSignal, maxListBytes: number): Promise<UpstreamReport> {
  const { era, version, info } = await upstream.ready(signal)
  const client = { capabilities: clientCapabilities }
  const quota = { bytes: maxListBytes }
  const read = async (field: ListField) => (await readList(upstream, client, field, quota)).entries
  const lists = {
    tools: await read('tools'),
    resources: await read('resources'),
    resourceTemplates: await read('resourceTemplates'),
    prompts: await read('prompts'),
  }
  return {
    era,
    version,
    ...(info && { server: { name: info.name, version: info.version } }),
    tools: textsOf(lists.tools, 'name'),
    resources: textsOf(lists.resources, 'uri'),
    prompts: textsOf(lists.prompts, 'name'),
    lists: { ...noLists, ...lists },
  }
}

function textsOf(entries: readonly Listed[], field: string): readonly string[] {
  return entries.flatMap((entry) => (typeof entry[field] === 'string' ? [entry[field]] : []))
}

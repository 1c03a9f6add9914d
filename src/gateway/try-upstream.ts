/** Asks an upstream once what it offers. */
import type { Upstream } from '../mcp/mcp.ts'
import { clientCapabilities } from '../mcp/mcp.ts'
import type { Listed } from './mount-lists.ts'
import { readLists } from './mount-lists.ts'

export interface UpstreamReport {
  readonly era: 'legacy' | 'modern'
  readonly version: string
  readonly server?: { readonly name: string; readonly version: string }
  readonly tools: readonly string[]
  readonly resources: readonly string[]
  readonly prompts: readonly string[]
}

export async function tryUpstream(upstream: Upstream, signal: AbortSignal): Promise<UpstreamReport> {
  const { era, version, info } = await upstream.ready(signal)
  const lists = await readLists(upstream, { capabilities: clientCapabilities }, ['tools', 'resources', 'prompts'])
  return {
    era,
    version,
    ...(info && { server: { name: info.name, version: info.version } }),
    tools: textsOf(lists.tools, 'name'),
    resources: textsOf(lists.resources, 'uri'),
    prompts: textsOf(lists.prompts, 'name'),
  }
}

function textsOf(entries: readonly Listed[] | undefined, field: string): readonly string[] {
  return (entries ?? []).flatMap((entry) => (typeof entry[field] === 'string' ? [entry[field]] : []))
}

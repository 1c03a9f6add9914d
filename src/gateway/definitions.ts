/** What an upstream lists, as definitions of ours: under the names agents see, relayed through the gate when used. */
import type { Call, InputRequired, Params, Prompt, Resource, ResourceTemplate, Tool } from '../mcp/mcp.ts'
import { isRecord } from '../mcp/mcp.ts'
import type { Listed, MountLists } from './mount-lists.ts'
import { exposeNames, policyAliases, policyName } from './names.ts'

export interface Definitions {
  readonly tools: readonly Tool[]
  readonly toolsByName: ReadonlyMap<string, Tool>
  readonly resources: readonly Resource[]
  readonly resourcesByUri: ReadonlyMap<string, Resource>
  readonly templates: readonly ResourceTemplate[]
  readonly prompts: readonly Prompt[]
}

export interface Relay {
  /** A tool: the layers of the face have asked the policy already. */
  callTool(original: Listed, call: Call): Promise<object | InputRequired>
  /** Everything else asks as `<mount>_<action>`. */
  request(action: string, method: string, params: Params, call: Call): Promise<object | InputRequired>
  watch(uri: string, call: Call, mayAsk: boolean, follower?: string): Promise<void>
  complete(params: Params, call: Call): Promise<object>
}

export interface DefineOptions {
  readonly mount: string
  readonly connector: string
  readonly route: string
  /** False: names stay as they are. */
  readonly hasPrefix: boolean
  /** They did, or may again. */
  readonly mayBeBare: boolean
  readonly relay: Relay
}

/** The upstream's own name for it, beside the one that is listed. */
export const originalKey = 'io.signalbox/original'

export function define(lists: MountLists, options: DefineOptions): Definitions {
  const tools = toolsOf(lists, options)
  const resources = lists.resources.filter(hasText('uri')).map((listed) => defineResource(listed, options.relay))
  return {
    tools,
    toolsByName: new Map(tools.map((tool) => [tool.name, tool])),
    resources,
    resourcesByUri: new Map(resources.map((resource) => [resource.uri, resource])),
    templates: lists.resourceTemplates.filter(hasText('uriTemplate')).map((listed) => defineTemplate(listed, options)),
    prompts: promptsOf(lists, options),
  }
}

function toolsOf({ tools }: MountLists, options: DefineOptions): Tool[] {
  const { mount, connector, route, hasPrefix, mayBeBare, relay } = options
  return named(tools, mount, hasPrefix).map(({ original, name, listed }) => {
    return {
      name,
      description: textOf(listed, 'description'),
      inputSchema: isRecord(listed['inputSchema']) ? listed['inputSchema'] : {},
      annotations: isRecord(listed['annotations']) ? listed['annotations'] : {},
      policyName: policyName(mount, original),
      policyAliases: policyAliases({ mount, original, name, mayBeBare }),
      route,
      upstream: connector,
      listed: renamed(listed, name, { mount, tool: original }),
      // The result passes as it came, whatever it is.
      run: (_args, call) => relay.callTool(listed, call) as ReturnType<Tool['run']>,
    }
  })
}

function defineResource(listed: Listed, relay: Relay): Resource {
  return unlistedResource(textOf(listed, 'uri'), relay, listed)
}

/** One that no list names. */
export function unlistedResource(uri: string, relay: Relay, listed?: Listed): Resource {
  return {
    uri,
    name: listed ? textOf(listed, 'name') : uri,
    description: listed ? textOf(listed, 'description') : '',
    ...(listed && { listed }),
    read: (call) =>
      relay.request('read', 'resources/read', { ...call.params, uri }, call) as ReturnType<Resource['read']>,
    watch: (call, mayAsk) => relay.watch(uri, call, mayAsk),
  }
}

function defineTemplate(listed: Listed, { relay }: DefineOptions): ResourceTemplate {
  return {
    uriTemplate: textOf(listed, 'uriTemplate'),
    name: textOf(listed, 'name'),
    description: textOf(listed, 'description'),
    listed,
    read: (uri, _, call) =>
      relay.request('read', 'resources/read', { ...call.params, uri }, call) as ReturnType<ResourceTemplate['read']>,
    watch: (uri, call, mayAsk) => relay.watch(uri, call, mayAsk),
    matches: templateMatcher(textOf(listed, 'uriTemplate')),
    complete: (params, call) => relay.complete(params, call),
  }
}

function promptsOf({ prompts }: MountLists, { mount, hasPrefix, relay }: DefineOptions): Prompt[] {
  return named(prompts, mount, hasPrefix).map(({ original, name, listed }) => {
    return {
      name,
      description: textOf(listed, 'description'),
      listed: renamed(listed, name, { mount, prompt: original }),
      get: (_args, call) =>
        relay.request('read', 'prompts/get', { ...call.params, name: original }, call) as ReturnType<Prompt['get']>,
      complete: (params, call) => {
        const ref = { ...(params['ref'] as object), name: original }
        return relay.complete({ ...params, ref }, call)
      },
    }
  })
}

interface Named {
  readonly original: string
  /** As the agent sees it. */
  readonly name: string
  readonly listed: Listed
}

/** Of those that are listed twice under one name the last counts. */
function named(entries: readonly Listed[], mount: string, hasPrefix: boolean): readonly Named[] {
  const byOriginal = new Map(entries.filter(hasText('name')).map((listed) => [textOf(listed, 'name'), listed]))
  const names = exposeNames(mount, byOriginal.keys(), { hasPrefix })
  return [...byOriginal].map(([original, listed]) => ({ original, name: names.get(original) ?? original, listed }))
}

/**
 * Whether the fixed parts of a template stand in a URI, in their order. It is somebody else's, who may have made it wrong, or
 * so that a regular expression of it takes for ever; whether there is such a resource, its upstream knows.
 */
function templateMatcher(template: string): (uri: string) => boolean {
  const [start = '', ...parts] = fixedParts(template)
  const end = parts.pop()
  return (uri) => {
    // To look for a long part in a longer text takes their product.
    if (uri.length > longestUri) return false
    if (end === undefined) return uri === start
    if (!uri.startsWith(start) || !uri.endsWith(end)) return false
    let at = start.length
    for (const part of parts) {
      const found = uri.indexOf(part, at)
      if (found === -1) return false
      at = found + part.length
    }
    return at <= uri.length - end.length
  }
}

const longestUri = 8_192

/** What stands around the `{…}` of a template. */
function fixedParts(template: string): readonly string[] {
  const parts: string[] = []
  let at = 0
  for (;;) {
    const open = template.indexOf('{', at)
    const close = open === -1 ? -1 : template.indexOf('}', open)
    if (close === -1) return [...parts, template.slice(at)]
    parts.push(template.slice(at, open))
    at = close + 1
  }
}

function renamed(listed: Listed, name: string, original: object): Listed {
  if (listed['name'] === name) return listed
  const meta = isRecord(listed['_meta']) ? listed['_meta'] : {}
  return { ...listed, name, _meta: { ...meta, [originalKey]: original } }
}

function hasText(field: string): (listed: Listed) => boolean {
  return (listed) => isRecord(listed) && typeof listed[field] === 'string' && listed[field] !== ''
}

function textOf(listed: Listed, field: string): string {
  const value = listed[field]
  return typeof value === 'string' ? value : ''
}

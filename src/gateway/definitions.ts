/** The lists of an upstream as our definitions: under the names that agents see, relayed when a face runs them. */
import type { MountAction } from '../api/policy-names.ts'
import { actionPolicyName, toolPolicyName } from '../api/policy-names.ts'
import type {
  Call,
  Follower,
  InputRequired,
  Params,
  Prompt,
  PromptInfo,
  RelayedCompletion,
  Resource,
  ResourceInfo,
  ResourceTemplate,
  ResourceTemplateInfo,
  PolicySubject,
  Tool,
  ToolInfo,
} from '../mcp/mcp.ts'
import { isRecord } from '../mcp/mcp.ts'
import type { Listed, MountLists } from './mount-lists.ts'
import { exposeNames, policyAliases } from './names.ts'

export interface Definitions {
  readonly tools: readonly ToolInfo[]
  readonly toolsByName: ReadonlyMap<string, ToolInfo>
  readonly resources: readonly ResourceInfo[]
  readonly resourcesByUri: ReadonlyMap<string, ResourceInfo>
  readonly templates: readonly ResourceTemplateInfo[]
  readonly prompts: readonly PromptInfo[]
  /** How many entries are left out because their names or addresses are too long. */
  readonly tooLong: number
}

/** The definitions as the session's provider offers them to its face. Only the face runs them. */
export interface RunnableDefinitions extends Definitions {
  readonly tools: readonly Tool[]
  readonly toolsByName: ReadonlyMap<string, Tool>
  readonly resources: readonly Resource[]
  readonly templates: readonly ResourceTemplate[]
  readonly prompts: readonly Prompt[]
}

/** A tool with a longer name is not offered: each call and each list would compare the name with every rule. */
const longestName = 256
const longestAddress = 4_096
/** The limit for the names of all tools, and of all prompts. Processing them blocks the hub. */
const mostNameCharacters = 1024 * 1024

/** The path to the upstream. The layers of the face have decided and recorded every call that arrives here. */
export interface Relay {
  callTool(original: Listed, args: Params, call: Call): Promise<object | InputRequired>
  /** A request that changes nothing and may be sent again. */
  read(method: string, params: Params, call: Call): Promise<object | InputRequired>
  watch(uri: string, call: Call, follower: Follower): Promise<void>
  /** Throws if this is not known. */
  canComplete(): boolean
}

export interface DefineOptions {
  readonly mount: string
  readonly connector: string
  readonly route: string
  /** False: names stay unchanged. */
  readonly hasPrefix: boolean
  /** The names had no prefix before, or may lose it. */
  readonly mayBeBare: boolean
  readonly relay: Relay
}

/** The upstream's own name, next to the listed one. */
export const originalKey = 'io.signalbox/original'

export function define(lists: MountLists, options: DefineOptions): RunnableDefinitions {
  const short: MountLists = {
    tools: withShortNames(lists.tools),
    prompts: withShortNames(lists.prompts),
    resources: lists.resources.filter(hasText('uri', longestAddress)),
    resourceTemplates: lists.resourceTemplates.filter(hasText('uriTemplate', longestAddress)),
  }
  const tools = toolsOf(short, options)
  const resources = short.resources.map((listed) => defineResource(textOf(listed, 'uri'), options, listed))
  return {
    tools,
    toolsByName: new Map(tools.map((tool) => [tool.name, tool])),
    resources,
    resourcesByUri: new Map(resources.map((resource) => [resource.uri, resource])),
    templates: short.resourceTemplates.map((listed) => defineTemplate(listed, options)),
    prompts: promptsOf(short, options),
    tooLong: countOf(lists) - countOf(short),
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
      subject: {
        tool: toolPolicyName(mount, original),
        aliases: policyAliases({ mount, original, name, mayBeBare }),
        route,
        upstream: connector,
      },
      listed: renamed(listed, name, { mount, tool: original }),
      // The result passes unchanged, whatever it is.
      run: (args, call) => relay.callTool(listed, args, call) as ReturnType<Tool['run']>,
    }
  })
}

export function subjectOf(action: MountAction, { mount, connector, route }: SubjectOptions): PolicySubject {
  return { tool: actionPolicyName(mount, action), route, upstream: connector }
}

export type SubjectOptions = Pick<DefineOptions, 'mount' | 'connector' | 'route'>

/** Also defines resources that no list contains. */
export function defineResource(uri: string, options: ResourceOptions, listed?: Listed): Resource {
  const { relay } = options
  return {
    uri,
    name: listed ? textOf(listed, 'name') : uri,
    description: listed ? textOf(listed, 'description') : '',
    subject: subjectOf('read', options),
    ...(listed && { listed }),
    read: (call) => relay.read('resources/read', { ...call.params, uri }, call) as ReturnType<Resource['read']>,
    watch: (call, follower) => relay.watch(uri, call, follower),
  }
}

export type ResourceOptions = SubjectOptions & Pick<DefineOptions, 'relay'>

function defineTemplate(listed: Listed, options: DefineOptions): ResourceTemplate {
  const { relay } = options
  return {
    uriTemplate: textOf(listed, 'uriTemplate'),
    name: textOf(listed, 'name'),
    description: textOf(listed, 'description'),
    subject: subjectOf('read', options),
    listed,
    read: (uri, _, call) =>
      relay.read('resources/read', { ...call.params, uri }, call) as ReturnType<ResourceTemplate['read']>,
    watch: (uri, call, follower) => relay.watch(uri, call, follower),
    matches: templateMatcher(textOf(listed, 'uriTemplate')),
    relayedCompletion: completionBy(relay),
  }
}

function promptsOf({ prompts }: MountLists, options: DefineOptions): Prompt[] {
  const { mount, hasPrefix, relay } = options
  return named(prompts, mount, hasPrefix).map(({ original, name, listed }) => {
    return {
      name,
      description: textOf(listed, 'description'),
      subject: subjectOf('read', options),
      original,
      listed: renamed(listed, name, { mount, prompt: original }),
      get: (_args, call) =>
        relay.read('prompts/get', { ...call.params, name: original }, call) as ReturnType<Prompt['get']>,
      relayedCompletion: completionBy(relay),
    }
  })
}

function completionBy(relay: Relay): RelayedCompletion {
  return {
    isOffered: () => relay.canComplete(),
    run: (params, call) => relay.read('completion/complete', params, call),
  }
}

interface Named {
  readonly original: string
  /** As the agent sees it. */
  readonly name: string
  readonly listed: Listed
}

/** If one name is listed twice, the last entry wins. */
function named(entries: readonly Listed[], mount: string, hasPrefix: boolean): readonly Named[] {
  const byOriginal = new Map(entries.map((listed) => [textOf(listed, 'name'), listed]))
  const names = exposeNames(mount, byOriginal.keys(), { hasPrefix })
  return [...byOriginal].map(([original, listed]) => ({ original, name: names.get(original) ?? original, listed }))
}

/**
 * Tests whether the fixed parts of a template appear in a URI in their order. The template comes from an upstream: it
 * may be malformed, or built so that a regular expression from it never ends. The upstream knows whether the resource
 * exists.
 */
function templateMatcher(template: string): (uri: string) => boolean {
  const [start = '', ...parts] = fixedParts(template)
  const end = parts.pop()
  return (uri) => {
    // Searching a long part in a long text takes the product of their lengths.
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

/** The texts between the `{…}` of a template. */
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

function hasText(field: string, longest = Number.POSITIVE_INFINITY): (listed: Listed) => boolean {
  return (listed) => {
    const text = isRecord(listed) ? listed[field] : undefined
    return typeof text === 'string' && text !== '' && text.length <= longest
  }
}

function withShortNames(entries: readonly Listed[]): readonly Listed[] {
  let charactersLeft = mostNameCharacters
  return entries
    .filter(hasText('name', longestName))
    .filter((listed) => (charactersLeft -= textOf(listed, 'name').length) >= 0)
}

function countOf({ tools, prompts, resources, resourceTemplates }: MountLists): number {
  const count = (entries: readonly Listed[], field: string) => entries.filter(hasText(field)).length
  return (
    count(tools, 'name') + count(prompts, 'name') + count(resources, 'uri') + count(resourceTemplates, 'uriTemplate')
  )
}

function textOf(listed: Listed, field: string): string {
  const value = listed[field]
  return typeof value === 'string' ? value : ''
}

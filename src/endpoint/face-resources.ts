/**
 * The resources that the providers of a face offer. The hub's own come first: an upstream's resource under an address
 * of the hub is neither listed nor read.
 */
import { firstOf } from '../base/first-of.ts'
import type {
  Call,
  FaceContents,
  PolicySubject,
  Provider,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Topic,
} from '../mcp/mcp.ts'
import { resourceNotFound } from '../mcp/mcp.ts'
import { describeResource, describeResourceTemplate } from './describe.ts'
import type { Dispatch } from './dispatch.ts'
import { loadSdk } from './load-sdk.ts'
import type { UriTemplate } from './sdk.ts'

export interface FaceResources extends Pick<FaceContents, 'ownResources' | 'readResource' | 'watch'> {
  listResources(): readonly object[]
  listResourceTemplates(): readonly object[]
  /** The topic of this address on this face. `undefined`: the address belongs to the hub, but to another face. */
  topicOf(uri: string): Topic | undefined
}

/** Only for the face, which runs the definitions that it finds. */
export interface ResourceLookup extends FaceResources {
  findTemplate(uriTemplate: string): ResourceTemplate | undefined
}

/**
 * `isReserved`: addresses of the hub on other faces. Here they exist only if one of the hub's own providers has them.
 */
export function createFaceResources(
  providers: readonly Provider[],
  dispatch: Dispatch,
  isReserved: (uri: string) => boolean = () => false,
): ResourceLookup {
  // Asked each time: providers join a face after it was made.
  const own = () => providers.filter(({ isForeign }) => isForeign !== true)
  const foreign = () => providers.filter(({ isForeign }) => isForeign === true)

  function ownResources(): (uri: string) => boolean {
    const isHere = ownUris(own())
    return (uri) => isHere(uri) || isReserved(uri)
  }

  function topicOf(uri: string): Topic | undefined {
    if (ownUris(own())(uri)) return { kind: 'hub', uri }
    return isReserved(uri) ? undefined : { kind: 'upstream', uri }
  }

  function resources(): readonly Resource[] {
    const isOwn = ownResources()
    return [...resourcesOf(own()), ...resourcesOf(foreign()).filter(({ uri }) => !isOwn(uri))]
  }

  function templates(): readonly ResourceTemplate[] {
    const isOwn = ownResources()
    return [...templatesOf(own()), ...templatesOf(foreign()).filter(({ uriTemplate }) => !isOwn(uriTemplate))]
  }

  /** An upstream's template may match any address, so an address of the hub is looked up in its own providers only. */
  function find(uri: string, mount: string | undefined): Found {
    const asked = ownResources()(uri) ? own() : providers
    const unlisted = () => firstOf(asked, (provider) => provider.resourceAt?.(uri, mount))
    if (mount !== undefined) return { listed: undefined, templates: () => [], unlisted }
    const listed = resourcesOf(asked).find((resource) => resource.uri === uri)
    return { listed, templates: () => templatesOf(asked), unlisted }
  }

  function read(uri: string, { subject }: { readonly subject?: PolicySubject }, call: Call, run: Resource['read']) {
    return dispatch({ kind: 'read', subject, params: { ...call.params, uri } }, call, run)
  }

  return {
    listResources: () => resources().map(describeResource),
    listResourceTemplates: () => templates().map(describeResourceTemplate),
    findTemplate: (uriTemplate) => templates().find((template) => template.uriTemplate === uriTemplate),
    ownResources,
    topicOf,
    async readResource(uri, call, mount) {
      const found = find(uri, mount)
      const { listed } = found
      if (listed) return read(uri, listed, call, (passed) => listed.read(passed))
      for (const template of found.templates()) {
        const variables = matchTemplate(template, uri)
        const readIt = async (passed: Call) => (await template.read(uri, variables ?? {}, passed)) ?? nothing
        const contents = variables ? await read(uri, template, call, readIt) : nothing
        if (contents !== nothing) return contents
      }
      const unlisted = found.unlisted()
      return unlisted && read(uri, unlisted, call, (passed) => unlisted.read(passed))
    },
    async watch(uri, call, { mayAsk, follower = 'clients', mount }) {
      const topic = topicOf(uri)
      const found = find(uri, mount)
      const resource = found.listed ?? templateFor(found.templates(), uri) ?? found.unlisted()
      if (!topic || !resource) throw resourceNotFound(uri)
      await dispatch({ kind: 'subscribe', subject: resource.subject, uri, mayAsk }, call, async (passed) => {
        await resource.watch?.(passed, follower)
        return {}
      })
      return topic
    },
  }
}

interface Found {
  readonly listed: Resource | undefined
  templates(): readonly ResourceTemplate[]
  /** Looked up last: for providers that accept addresses no list names. */
  unlisted(): Resource | undefined
}

/** Stands for the answer of a template that has no such resource. */
const nothing: ReadResourceResult = { contents: [] }

function templateFor(
  templates: readonly ResourceTemplate[],
  uri: string,
): Pick<Resource, 'subject' | 'watch'> | undefined {
  const template = templates.find((each) => matchTemplate(each, uri))
  if (!template) return undefined
  const { subject } = template
  return { ...(subject && { subject }), watch: async (call, follower) => template.watch?.(uri, call, follower) }
}

function resourcesOf(providers: readonly Provider[]): readonly Resource[] {
  return providers.flatMap((provider) => provider.resources?.() ?? [])
}

function templatesOf(providers: readonly Provider[]): readonly ResourceTemplate[] {
  return providers.flatMap((provider) => provider.resourceTemplates?.() ?? [])
}

/** Every address below the fixed start of a template belongs to the template's owner. */
export function ownUris(own: readonly Provider[]): (uri: string) => boolean {
  const uris = new Set(resourcesOf(own).map(({ uri }) => uri))
  const starts = templatesOf(own).map(({ uriTemplate }) => uriTemplate.split('{', 1).join())
  return (uri) => uris.has(uri) || starts.some((start) => uri.startsWith(start))
}

const parsedTemplates = new WeakMap<ResourceTemplate, UriTemplate>()

function matchTemplate(template: ResourceTemplate, uri: string) {
  if (template.matches) return template.matches(uri) ? {} : undefined
  let parsed = parsedTemplates.get(template)
  if (!parsed) parsedTemplates.set(template, (parsed = new (loadSdk().UriTemplate)(template.uriTemplate)))
  return parsed.match(uri) ?? undefined
}

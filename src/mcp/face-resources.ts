/**
 * The resources that the providers of a face offer. The hub's own come first: what others list under an address of
 * its own is neither listed nor read in its place.
 */
import { firstOf } from '../base/first-of.ts'
import { describeResource, describeResourceTemplate } from './describe.ts'
import { resourceNotFound } from './methods.ts'
import type { Call, InputRequired, Provider, Resource, ResourceTemplate } from './provider.ts'
import type { ReadResourceResult } from './sdk.ts'
import { UriTemplate } from './sdk.ts'

export interface FaceResources {
  listResources(): readonly object[]
  listResourceTemplates(): readonly object[]
  findResourceTemplate(uriTemplate: string): ResourceTemplate | undefined
  /** Tells whether an address, or a template of such, is the hub's own, whoever lists it. */
  ownResources(): (uri: string) => boolean
  /** `undefined`: there is no such resource. */
  readResource(uri: string, call: Call): Promise<ReadResourceResult | InputRequired | undefined>
  /** Sees to it that changes of the resource will be heard of. Throws where there is none, or it cannot be. */
  watch(uri: string, call: Call, options: { readonly mayAsk: boolean }): Promise<void>
}

export function createFaceResources(providers: readonly Provider[]): FaceResources {
  const own = providers.filter(({ isForeign }) => isForeign !== true)
  const foreign = providers.filter(({ isForeign }) => isForeign === true)

  function resources(): readonly Resource[] {
    const isOwn = ownPlaces(own)
    return [...resourcesOf(own), ...resourcesOf(foreign).filter(({ uri }) => !isOwn(uri))]
  }

  function templates(): readonly ResourceTemplate[] {
    const isOwn = ownPlaces(own)
    return [...templatesOf(own), ...templatesOf(foreign).filter(({ uriTemplate }) => !isOwn(uriTemplate))]
  }

  /** A template of others may fit whatever there is. */
  function find(uri: string) {
    const asked = ownPlaces(own)(uri) ? own : providers
    return {
      listed: resourcesOf(asked).find((resource) => resource.uri === uri),
      templates: () => templatesOf(asked),
      /** After all that is named: it is for those who take whatever nobody else has. */
      unlisted: () => firstOf(asked, (provider) => provider.resourceAt?.(uri)),
    }
  }

  return {
    listResources: () => resources().map(describeResource),
    listResourceTemplates: () => templates().map(describeResourceTemplate),
    findResourceTemplate: (uriTemplate) => templates().find((template) => template.uriTemplate === uriTemplate),
    ownResources: () => ownPlaces(own),
    async readResource(uri, call) {
      const found = find(uri)
      if (found.listed) return found.listed.read(call)
      for (const template of found.templates()) {
        const variables = matchTemplate(template, uri)
        const contents = variables && (await template.read(uri, variables, call))
        if (contents) return contents
      }
      return found.unlisted()?.read(call)
    },
    async watch(uri, call, { mayAsk }) {
      const found = find(uri)
      if (found.listed) return found.listed.watch?.(call, mayAsk)
      const template = found.templates().find((each) => matchTemplate(each, uri))
      if (template) return template.watch?.(uri, call, mayAsk)
      const unlisted = found.unlisted()
      if (!unlisted) throw resourceNotFound(uri)
      await unlisted.watch?.(call, mayAsk)
    },
  }
}

function resourcesOf(providers: readonly Provider[]): readonly Resource[] {
  return providers.flatMap((provider) => provider.resources?.() ?? [])
}

function templatesOf(providers: readonly Provider[]): readonly ResourceTemplate[] {
  return providers.flatMap((provider) => provider.resourceTemplates?.() ?? [])
}

/** Under the fixed start of a template all is its owner's. */
function ownPlaces(own: readonly Provider[]): (uri: string) => boolean {
  const uris = new Set(resourcesOf(own).map(({ uri }) => uri))
  const starts = templatesOf(own).map(({ uriTemplate }) => uriTemplate.split('{', 1).join())
  return (uri) => uris.has(uri) || starts.some((start) => uri.startsWith(start))
}

const parsedTemplates = new WeakMap<ResourceTemplate, UriTemplate>()

function matchTemplate(template: ResourceTemplate, uri: string) {
  if (template.matches) return template.matches(uri) ? {} : undefined
  let parsed = parsedTemplates.get(template)
  if (!parsed) parsedTemplates.set(template, (parsed = new UriTemplate(template.uriTemplate)))
  return parsed.match(uri) ?? undefined
}

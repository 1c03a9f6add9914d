/**
 * Templates: how to start a kind of session. They are JSON files, shipped ones and the person's own. An own template
 * replaces the shipped one of the same name. Files are read again when they change. A broken file is reported and does
 * not affect the others.
 */
import { chmod, mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { FoundTemplate, Template } from '../api/template.ts'
import { HubError, isNotFound, messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import { nearest } from '../base/nearest.ts'
import { createSerial } from '../base/serial.ts'
import type { SignalSender } from '../feature/feature.ts'
import type { Notices } from '../mcp/mcp.ts'
import { missingFiles, filesOf, whyNotAvailable, whyUnknownDriver } from './availability.ts'
import type { BrokenTemplate, LookUp } from './catalog.ts'
import { openCatalog } from './catalog.ts'
import { checkTemplate, describeFindings, findPatternFaults } from './check-template.ts'
import { includesOf } from './include-files.ts'
import { templatesUri } from './template-tools.ts'
import type { TemplateSource } from './template-writer.ts'
import { readSources, removeTemplate, writeTemplate } from './template-writer.ts'
import type { ListedTemplate, Templates } from './template.ts'

export type { Templates } from './template.ts'
export { fill } from './fill.ts'
export { readIncludes, seedWorkspace } from './seed-workspace.ts'
export { createTemplateTools } from './template-tools.ts'

export interface TemplatesOptions {
  readonly shippedDirectory: string
  readonly userDirectory: string
  /** The names of the hub's drivers. */
  readonly drivers: readonly string[]
  /** Why the driver of a template cannot start a session. */
  readonly whyNotDriver?: (template: Template) => string | undefined
  /** The PATH of sessions. */
  readonly searchPath: () => string
  /** Throws if there is no such repository. */
  readonly findRepository?: (name: string) => Promise<unknown>
  readonly notices: Pick<Notices, 'resourceChanged'>
  readonly signals: SignalSender
  readonly log: Log
}

export async function openTemplates(options: TemplatesOptions): Promise<Templates> {
  const { shippedDirectory, userDirectory, drivers, whyNotDriver, searchPath, findRepository, notices, signals, log } =
    options
  await mkdir(userDirectory, { recursive: true, mode: 0o700 })
  // Templates may hold values that others should not read, such as variables.
  await chmod(userDirectory, 0o700)
  function onChange(): void {
    notices.resourceChanged(templatesUri)
    signals.emit('templates-changed', {})
  }
  const catalog = openCatalog({ shippedDirectory, userDirectory, onChange, log })
  const serial = createSerial()
  const assetDirectoriesOf = (name: string) => [join(userDirectory, name), join(shippedDirectory, name)]

  function toListed({ template, source }: FoundTemplate): ListedTemplate {
    const assetDirectories = assetDirectoriesOf(template.name)
    const whyNot = whyNotAvailable(template, { drivers, whyNotDriver, searchPath: searchPath(), assetDirectories })
    const available = whyNot === undefined
    const isSandboxShipped = catalog.isSandboxShipped(template.sandbox)
    return { template, source, isSandboxShipped, available, ...(!available && { whyNot }), assetDirectories }
  }

  function list(): readonly ListedTemplate[] {
    catalog.refresh()
    return catalog.names().flatMap((name) => {
      const looked = catalog.lookUp(name)
      return looked.is === 'found' ? [toListed(looked.found)] : []
    })
  }

  function lookUp(name: string): LookUp {
    catalog.refresh()
    return catalog.lookUp(name)
  }

  function whyNotFound(name: string, looked: Exclude<LookUp, { is: 'found' }>): HubError {
    switch (looked.is) {
      case 'broken': {
        const { own, shipped } = catalog.has(name)
        const cure = own && shipped ? ' Fix it, or delete it to use the shipped one.' : ''
        return new HubError('invalid', `The template "${name}" is broken. ${describeBroken(looked.fault)}${cure}`)
      }
      case 'unreadable': {
        const fault = describeBroken(looked.fault)
        return new HubError(
          'unavailable',
          `The hub cannot look up the template "${name}". ${fault} Fix that and try again.`,
        )
      }
      case 'missing': {
        const names = catalog.names()
        const meant = nearest(name, names)
        const guess = meant === undefined ? '' : ` Did you mean "${meant}"?`
        return new HubError('not-found', `No template named "${name}".${guess} There are: ${names.join(', ')}.`)
      }
    }
  }

  return {
    list,
    programs() {
      return list().flatMap(({ template }) => filesOf(template, template.env['PATH'] ?? searchPath()))
    },
    broken() {
      catalog.refresh()
      return catalog.broken()
    },
    find(name) {
      const looked = lookUp(name)
      if (looked.is === 'found') return toListed(looked.found)
      throw whyNotFound(name, looked)
    },
    policyOf(name) {
      const looked = lookUp(name)
      if (looked.is === 'found') {
        const { template, source } = looked.found
        return { is: 'known', origin: source === 'shipped' ? 'shipped' : 'own', source: template.policy }
      }
      return { is: looked.is === 'broken' ? 'invalid' : 'unknown', why: whyNotFound(name, looked).message }
    },
    save: (payload, includeSources = []) =>
      serial(async () => {
        const { template, content } = await checkPayload(payload)
        const whyNoDriver = whyUnknownDriver(template, drivers)
        if (whyNoDriver !== undefined) throw new HubError('invalid', `"driver": ${whyNoDriver}`)
        await checkRepositories(template, findRepository)
        const sources = await readSources(includeSources)
        checkIncludes(template, sources, assetDirectoriesOf(template.name))
        const path = await writeTemplate(userDirectory, { name: template.name, content, sources })
        catalog.refresh()
        return { path }
      }),
    delete: (name) =>
      serial(async () => {
        const looked = lookUp(name)
        if (looked.is === 'unreadable') throw whyNotFound(name, looked)
        const has = catalog.has(name)
        if (!has.own) throw has.shipped ? cannotDelete(name) : notFound(name)
        await removeTemplate(userDirectory, name)
        catalog.refresh()
      }),
    async [Symbol.asyncDispose]() {
      catalog[Symbol.dispose]()
    },
  }
}

async function checkPayload(payload: unknown): Promise<{ template: Template; content: object }> {
  const content = withoutListing(payload)
  const checked = checkTemplate(content)
  const findings = checked.is === 'faulty' ? checked.findings : await findPatternFaults(checked.template)
  if (checked.is === 'faulty' || findings.length > 0) {
    throw new HubError('invalid', `"payload" is not a valid template: ${describeFindings(findings)}`)
  }
  return { template: checked.template, content }
}

/** Removes the fields that list_templates adds, because a client may list a template, change it and save it. */
function withoutListing(payload: unknown): object {
  const added = new Set(['available', 'why_not', 'source'])
  return Object.fromEntries(Object.entries(Object(payload) as object).filter(([field]) => !added.has(field)))
}

/** Checks that every included file exists or comes with the template, and that no file comes without being included. */
function checkIncludes(
  template: Template,
  sources: readonly TemplateSource[],
  assetDirectories: readonly string[],
): void {
  const brought = new Set(sources.map(({ name }) => name))
  const absent = missingFiles(template, assetDirectories).find((file) => !brought.has(file))
  if (absent !== undefined) {
    const name = basename(absent)
    const cure = brought.has(name)
      ? `write {"source": "${name}", "target": "${absent}"}, because sources are stored by their base name`
      : 'add its path to "include_sources"'
    throw new HubError('invalid', `"include_files": there is no "${absent}"; ${cure}.`)
  }
  const included = new Set(includesOf(template).map(({ source }) => source))
  const useless = [...brought].find((name) => !included.has(name))
  if (useless !== undefined) {
    throw new HubError(
      'invalid',
      `"include_sources": the template does not use "${useless}". Add it to "include_files".`,
    )
  }
}

async function checkRepositories(
  { repositories }: Template,
  find: TemplatesOptions['findRepository'] = () => Promise.resolve(),
): Promise<void> {
  for (const name of repositories) {
    await find(name).catch((error: unknown) => {
      throw isNotFound(error) ? new HubError('invalid', `"repositories": ${messageOf(error)}`) : error
    })
  }
}

function describeBroken({ path, line, reason }: BrokenTemplate): string {
  return `${path}${line === undefined ? '' : `:${line}`}: ${reason}`
}

function cannotDelete(name: string): HubError {
  return new HubError(
    'forbidden',
    `"${name}" is a shipped template and cannot be deleted. Save a template of the same name to replace it.`,
  )
}

function notFound(name: string): HubError {
  return new HubError('not-found', `No template named "${name}". Call list_templates for the names.`)
}

/**
 * Templates: how a kind of session is started. JSON files, those that are shipped and those of the person, which win by
 * name. They are read again when they change; one that is broken is told, and harms no other.
 */
import { chmod, mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Template } from '../api/template.ts'
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import { nearest } from '../base/nearest.ts'
import { createSerial } from '../base/serial.ts'
import type { Notices } from '../mcp/mcp.ts'
import { missingFiles, whyNotAvailable } from './availability.ts'
import { type BrokenTemplate, type FoundTemplate, openCatalog } from './catalog.ts'
import { checkTemplate, describeFindings, findPatternFaults } from './check-template.ts'
import { includesOf } from './include-files.ts'
import { templatesUri } from './template-tools.ts'
import { readSources, removeTemplate, type TemplateSource, writeTemplate } from './template-writer.ts'

export type { BrokenTemplate } from './catalog.ts'
export { fill } from './fill.ts'
export { seedWorkspace } from './seed-workspace.ts'
export { createTemplateProvider } from './template-tools.ts'

export interface Templates extends AsyncDisposable {
  /** All that can be read, hidden ones too, by name. */
  list(): readonly ListedTemplate[]
  broken(): readonly BrokenTemplate[]
  /** Also one that is not available here. */
  find(name: string): ListedTemplate
  /** Writes a template of the person's, with the files it brings along. */
  save(payload: unknown, includeSources?: readonly string[]): Promise<{ readonly path: string }>
  delete(name: string): Promise<void>
}

export interface ListedTemplate extends FoundTemplate {
  readonly available: boolean
  /** What is missing, and how to come by it. */
  readonly whyNot?: string
  /** Where its included files are looked for, in this order. */
  readonly assetDirectories: readonly string[]
}

export interface TemplatesOptions {
  readonly shippedDirectory: string
  readonly userDirectory: string
  /** The PATH that sessions look for their programs in. */
  readonly searchPath: () => string
  readonly notices: Pick<Notices, 'resourceChanged'>
  readonly log: Log
}

export async function openTemplates(options: TemplatesOptions): Promise<Templates> {
  const { shippedDirectory, userDirectory, searchPath, notices, log } = options
  await mkdir(userDirectory, { recursive: true, mode: 0o700 })
  // Templates may hold what others should not read, such as variables.
  await chmod(userDirectory, 0o700)
  const onChange = () => notices.resourceChanged(templatesUri)
  const catalog = openCatalog({ shippedDirectory, userDirectory, onChange, log })
  const serial = createSerial()
  const assetDirectoriesOf = (name: string) => [join(userDirectory, name), join(shippedDirectory, name)]

  function toListed({ template, source }: FoundTemplate): ListedTemplate {
    const assetDirectories = assetDirectoriesOf(template.name)
    const whyNot = whyNotAvailable(template, { searchPath: searchPath(), assetDirectories })
    const available = whyNot === undefined
    return { template, source, available, ...(!available && { whyNot }), assetDirectories }
  }

  return {
    list() {
      catalog.refresh()
      return catalog.names().map((name) => toListed(catalog.find(name)!))
    },
    broken() {
      catalog.refresh()
      return catalog.broken()
    },
    find(name) {
      catalog.refresh()
      const found = catalog.find(name)
      if (found) return toListed(found)
      const [fault] = catalog.broken(name)
      if (fault) throw new HubError('invalid', `The template "${name}" is broken. ${describeBroken(fault)}`)
      const names = catalog.names()
      const meant = nearest(name, names)
      const guess = meant === undefined ? '' : ` Did you mean "${meant}"?`
      throw new HubError('not-found', `No template named "${name}".${guess} There are: ${names.join(', ')}.`)
    },
    save: (payload, includeSources = []) =>
      serial(async () => {
        const { template, content } = await checkPayload(payload)
        const sources = await readSources(includeSources)
        checkIncludes(template, sources, assetDirectoriesOf(template.name))
        const path = await writeTemplate(userDirectory, { name: template.name, content, sources })
        catalog.refresh()
        return { path }
      }),
    delete: (name) =>
      serial(async () => {
        catalog.refresh()
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
    throw new HubError('invalid', `"payload" is no template: ${describeFindings(findings)}`)
  }
  return { template: checked.template, content }
}

/** What list_templates adds comes back with a template that was listed, changed and saved. */
function withoutListing(payload: unknown): object {
  const added = new Set(['available', 'why_not', 'source'])
  return Object.fromEntries(Object.entries(Object(payload) as object).filter(([field]) => !added.has(field)))
}

/** Every file that the template includes is there, or comes with it; and none comes for nothing. */
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
      ? `write {"source": "${name}", "target": "${absent}"}, since sources are kept by their last name`
      : 'add its path to "include_sources"'
    throw new HubError('invalid', `"include_files": there is no "${absent}"; ${cure}.`)
  }
  const included = new Set(includesOf(template).map(({ source }) => source))
  const useless = [...brought].find((name) => !included.has(name))
  if (useless !== undefined) {
    throw new HubError('invalid', `"include_sources": "${useless}" would never be used; add it to "include_files".`)
  }
}

function describeBroken({ path, line, reason }: BrokenTemplate): string {
  return `${path}${line === undefined ? '' : `:${line}`}: ${reason}`
}

function cannotDelete(name: string): HubError {
  return new HubError(
    'forbidden',
    `"${name}" is shipped, and shipped templates cannot be deleted; save one of the same name to replace it.`,
  )
}

function notFound(name: string): HubError {
  return new HubError('not-found', `No template named "${name}". Call list_templates for the names.`)
}

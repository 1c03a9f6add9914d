/** The templates of both folders, as they are now: the person's win by name, and a broken one gives way to the shipped. */
import type { Template } from '../api/template.ts'
import type { Log } from '../base/log.ts'
import { findPatternFaults } from './check-template.ts'
import { locateFault, type TemplateFault } from './template-file.ts'
import { openTemplateFolder, type TemplateFile } from './template-folder.ts'
import { watchFolder } from './watch-folder.ts'

export interface Catalog extends Disposable {
  /** Of all that can be used, in order. */
  names(): readonly string[]
  find(name: string): FoundTemplate | undefined
  broken(name?: string): readonly BrokenTemplate[]
  /** Which folder has a file of this name, whatever is in it. */
  has(name: string): { readonly own: boolean; readonly shipped: boolean }
  /** Reads what has changed: nothing that was written before is missed, whatever the watchers say and when. */
  refresh(): void
}

export interface FoundTemplate {
  readonly template: Template
  /** `shipped`, or the path of its file. */
  readonly source: string
}

export interface BrokenTemplate extends TemplateFault {
  readonly path: string
}

export interface CatalogOptions {
  readonly shippedDirectory: string
  readonly userDirectory: string
  readonly onChange: () => void
  readonly log: Log
}

export function openCatalog({ shippedDirectory, userDirectory, onChange, log }: CatalogOptions): Catalog {
  const shipped = openTemplateFolder(shippedDirectory)
  const own = openTemplateFolder(userDirectory)

  function refresh(): void {
    const [theirs, mine] = [shipped.refresh(), own.refresh()]
    if (!theirs.isChanged && !mine.isChanged) return
    for (const file of [...theirs.read, ...mine.read]) warnOf(file)
    // Those of the shipped ones are tested, and need no engine loaded at every start.
    for (const file of mine.read) void checkPatterns(file)
    onChange()
  }

  async function checkPatterns(file: TemplateFile): Promise<void> {
    const { content, text } = file
    if (content.is === 'broken' || text === undefined) return
    const findings = await findPatternFaults(content.template)
    const condemned = findings.length === 0 ? undefined : own.condemn(file, locateFault(findings, text))
    if (!condemned) return
    warnOf(condemned)
    onChange()
  }

  function warnOf({ path, content }: TemplateFile): void {
    if (content.is === 'broken') log.warn({ path, ...content.fault }, 'a template is broken')
  }

  function find(name: string): FoundTemplate | undefined {
    const mine = own.files.get(name)
    if (mine?.content.is === 'good') return { template: mine.content.template, source: mine.path }
    const theirs = shipped.files.get(name)
    return theirs?.content.is === 'good' ? { template: theirs.content.template, source: 'shipped' } : undefined
  }

  function toBroken({ name, path, content }: TemplateFile): readonly BrokenTemplate[] {
    if (content.is === 'good') return []
    const standIn = find(name)?.source === 'shipped' ? ` The shipped template "${name}" is used instead.` : ''
    return [{ path, ...content.fault, reason: content.fault.reason + standIn }]
  }

  refresh()
  const watchers = [watchFolder(shippedDirectory, refresh), watchFolder(userDirectory, refresh)]

  return {
    names: () => [...new Set([...shipped.files.keys(), ...own.files.keys()])].filter((name) => find(name)).sort(),
    find,
    broken: (name) =>
      [...own.files.values(), ...shipped.files.values()]
        .filter((file) => name === undefined || file.name === name)
        .flatMap(toBroken),
    has: (name) => ({ own: own.files.has(name), shipped: shipped.files.has(name) }),
    refresh,
    [Symbol.dispose]() {
      for (const watcher of watchers) watcher[Symbol.dispose]()
    },
  }
}

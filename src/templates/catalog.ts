/**
 * The current templates of both folders. A person's template replaces the shipped one of the same name. If the person's
 * template is broken, or their folder cannot be read, the shipped one is not used instead: it may have a weaker policy.
 */
import { isDeepStrictEqual } from 'node:util'
import type { SandboxChoice } from '../api/sandbox.ts'
import type { FoundTemplate } from '../api/template.ts'
import type { Log } from '../base/log.ts'
import { findPatternFaults } from './check-template.ts'
import type { TemplateFault } from './template-file.ts'
import { locateFault } from './template-file.ts'
import type { TemplateFile, TemplateFolder } from './template-folder.ts'
import { openTemplateFolder } from './template-folder.ts'
import { watchFolder } from './watch-folder.ts'

export interface Catalog extends Disposable {
  /** The names of all valid templates, sorted. */
  names(): readonly string[]
  lookUp(name: string): LookUp
  broken(): readonly BrokenTemplate[]
  /** Which folders have a file of this name, valid or not. */
  has(name: string): { readonly own: boolean; readonly shipped: boolean }
  /** Whether the sandbox is that of a shipped template, as in a copy of one. */
  isSandboxShipped(sandbox: SandboxChoice | undefined): boolean
  /** Reads changed files. It misses no earlier change, even if the watchers report it late or not at all. */
  refresh(): void
}

export type LookUp =
  | { readonly is: 'found'; readonly found: FoundTemplate }
  | { readonly is: 'broken'; readonly fault: BrokenTemplate }
  /** The file may exist, but it or its folder cannot be read. */
  | { readonly is: 'unreadable'; readonly fault: BrokenTemplate }
  | { readonly is: 'missing' }

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
    for (const { path, fault } of [shipped, own]) {
      if (fault !== undefined) log.warn({ path, reason: fault }, 'a folder of templates cannot be read')
    }
    // The patterns of shipped templates are tested, so the engine need not be loaded at every start.
    for (const file of mine.read) void checkPatterns(file)
    onChange()
  }

  async function checkPatterns(file: TemplateFile): Promise<void> {
    const { content, text } = file
    if (content.is !== 'good' || text === undefined) return
    const findings = await findPatternFaults(content.template)
    const broken = findings.length === 0 ? undefined : own.markBroken(file, locateFault(findings, text))
    if (!broken) return
    warnOf(broken)
    onChange()
  }

  function warnOf({ path, content }: TemplateFile): void {
    if (content.is !== 'good') log.warn({ path, ...content.fault }, 'a template is broken')
  }

  const lookUp = (name: string): LookUp => lookIn(own, name) ?? lookIn(shipped, name) ?? { is: 'missing' }

  /** `undefined` if the folder has no such file. */
  function lookIn(folder: TemplateFolder, name: string): LookUp | undefined {
    if (folder.fault !== undefined) return { is: 'unreadable', fault: { path: folder.path, reason: folder.fault } }
    const file = folder.files.get(name)
    if (!file) return undefined
    const { path, content } = file
    if (content.is !== 'good') return { is: content.is, fault: { path, ...content.fault } }
    return { is: 'found', found: { template: content.template, source: folder === own ? path : 'shipped' } }
  }

  function brokenIn({ path, fault, files }: TemplateFolder): readonly BrokenTemplate[] {
    if (fault !== undefined) return [{ path, reason: fault }]
    return [...files.values()].flatMap(({ path: file, content }) =>
      content.is === 'good' ? [] : [{ path: file, ...content.fault }],
    )
  }

  refresh()
  const watchers = [watchFolder(shippedDirectory, refresh), watchFolder(userDirectory, refresh)]

  return {
    names: () =>
      [...new Set([...shipped.files.keys(), ...own.files.keys()])].filter((name) => lookUp(name).is === 'found').sort(),
    lookUp,
    broken: () => [...brokenIn(own), ...brokenIn(shipped)],
    isSandboxShipped: (sandbox) =>
      [...shipped.files.values()].some(
        ({ content }) => content.is === 'good' && isDeepStrictEqual(content.template.sandbox, sandbox),
      ),
    has: (name) => ({ own: own.files.has(name), shipped: shipped.files.has(name) }),
    refresh,
    [Symbol.dispose]() {
      for (const watcher of watchers) watcher[Symbol.dispose]()
    },
  }
}

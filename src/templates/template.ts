/** Templates as the hub and their own tools use them. */
import type { TemplatePolicy } from '../api/policy.ts'
import type { AvailableTemplate } from '../api/template.ts'
import type { BrokenTemplate } from './catalog.ts'

export interface Templates extends AsyncDisposable {
  /** All valid templates, including hidden ones, sorted by name. */
  list(): readonly ListedTemplate[]
  /** The files of the programs that are installed here. */
  programs(): readonly string[]
  broken(): readonly BrokenTemplate[]
  /** Also finds a template that is not available here. */
  find(name: string): ListedTemplate
  policyOf(name: string): TemplatePolicy
  /** Writes an own template of the person, with the files that belong to it. */
  save(payload: unknown, includeSources?: readonly string[]): Promise<{ readonly path: string }>
  delete(name: string): Promise<void>
}

export interface ListedTemplate extends AvailableTemplate {
  /** The folders of its included files, in the order of look-up. */
  readonly assetDirectories: readonly string[]
}

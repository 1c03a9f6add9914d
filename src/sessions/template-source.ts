import type { AvailableTemplate } from '../api/template.ts'
import type { Folder } from '../base/open-inside.ts'

/** The part of the templates that sessions need. */
export interface TemplateSource {
  /** Throws if there is no template of that name. */
  find(name: string): AvailableTemplate
  /** Replaces `{word}` in every string of the value. */
  fillIn<Value>(value: Value, words: Readonly<Record<string, string>>): Value
  /** Copies the template's files into the workspace. Never overwrites a file; returns the paths it left as they were. */
  seed(template: string, workspace: string, folder: Folder | undefined): Promise<readonly string[]>
  /** The texts of those files, by their path in the workspace. */
  ownFiles(template: string): Promise<ReadonlyMap<string, string>>
}

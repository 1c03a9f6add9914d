import type { Template } from '../api/template.ts'

export interface IncludedFile {
  /** Relative to the folder of the template's own files. */
  readonly source: string
  /** Relative to the workspace. */
  readonly target: string
}

export function includesOf({ include_files }: Template): readonly IncludedFile[] {
  return include_files.map((file) => (typeof file === 'string' ? { source: file, target: file } : file))
}

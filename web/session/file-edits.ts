/** The edits of files that a call asks for, in the words of the different agents. */
import { asArguments } from '../approvals/question.ts'

export type FileEdit =
  | { readonly is: 'texts'; readonly path: string; readonly before: string; readonly after: string }
  | { readonly is: 'patch'; readonly path: string; readonly patch: string }

type Parameters = Readonly<Record<string, unknown>>

/** Empty if the call edits no file, or in a way that is not known. */
export function fileEditsOf(name: string, parameters: Parameters): readonly FileEdit[] {
  const path = textIn(parameters, 'file_path', 'filePath', 'path') ?? ''
  const { edits, changes } = parameters
  if (Array.isArray(edits)) return edits.flatMap((edit) => editOf(path, asArguments(edit)))
  if (Array.isArray(changes)) return changes.flatMap((change) => changeOf(asArguments(change)))
  const edit = editOf(path, parameters)
  if (edit.length > 0 || path === '' || !/write|create/i.test(name)) return edit
  const content = textIn(parameters, 'content', 'contents', 'file_text')
  return content === undefined ? [] : [{ is: 'texts', path, before: '', after: content }]
}

function editOf(path: string, parameters: Parameters): readonly FileEdit[] {
  const before = textIn(parameters, 'old_string', 'oldString', 'old_text')
  const after = textIn(parameters, 'new_string', 'newString', 'new_text')
  if (before !== undefined && after !== undefined) return [{ is: 'texts', path, before, after }]
  const patch = textIn(parameters, 'diff', 'patch')
  return patch === undefined ? [] : [{ is: 'patch', path, patch }]
}

/** Codex reports a new or a removed file with its whole content. */
function changeOf(change: Parameters): readonly FileEdit[] {
  const path = textIn(change, 'path') ?? ''
  const text = textIn(change, 'diff', 'content')
  if (text === undefined) return []
  if (text.startsWith('@@') || text.includes('\n@@')) return [{ is: 'patch', path, patch: text }]
  const isRemoval = textIn(change, 'kind') === 'delete' || textIn(asArguments(change['kind']), 'type') === 'delete'
  return [{ is: 'texts', path, before: isRemoval ? text : '', after: isRemoval ? '' : text }]
}

function textIn(parameters: Parameters, ...names: readonly string[]): string | undefined {
  return names.map((name) => parameters[name]).find((value) => typeof value === 'string')
}

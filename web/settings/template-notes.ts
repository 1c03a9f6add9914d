/** Finds the errors in the text of a template, with their lines. */
import { type Node, findNodeAtLocation, parseTree, printParseErrorCode } from 'jsonc-parser'
import { type Template, templateSchema } from '../../src/api/template.ts'
import type { EditorNote } from '../editor/editor.tsx'

export type Checked =
  | { readonly is: 'valid'; readonly template: Template; readonly payload: Readonly<Record<string, unknown>> }
  | { readonly is: 'invalid'; readonly notes: readonly EditorNote[] }

export function checkTemplate(text: string): Checked {
  const errors: { error: number; offset: number; length: number }[] = []
  const tree = parseTree(text, errors)
  const [first] = errors
  if (first || !tree) {
    const line = lineAt(text, first?.offset ?? 0)
    return { is: 'invalid', notes: [{ is: 'error', line, message: syntaxWords(first?.error) }] }
  }
  const payload = JSON.parse(text) as Readonly<Record<string, unknown>>
  const parsed = templateSchema.safeParse(payload)
  if (parsed.success) return { is: 'valid', template: parsed.data, payload }
  const notes = parsed.error.issues.flatMap((issue): readonly EditorNote[] => {
    const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))
    if (issue.code !== 'unrecognized_keys') return [noteAt(text, tree, path, issue.message)]
    return issue.keys.map((key) => noteAt(text, tree, [...path, key], `There is no field "${key}".`))
  })
  return { is: 'invalid', notes: notes.toSorted((one, other) => one.line - other.line) }
}

function noteAt(text: string, tree: Node, path: readonly (string | number)[], message: string): EditorNote {
  const node = nearest(tree, path)
  const value = text.slice(node.offset, node.offset + node.length)
  const isShort = !value.includes('\n') && node !== tree
  return { is: 'error', line: lineAt(text, node.offset), message: sentence(message), ...(isShort && { text: value }) }
}

/** A field that is missing has no place of its own. */
function nearest(tree: Node, path: readonly (string | number)[]): Node {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length))
    if (node) return node
  }
  return tree
}

/** `Invalid option: expected one of "a"|"b"` says more than a person wants to read. */
function sentence(message: string): string {
  const choices = /expected one of (.+)$/.exec(message)?.[1]
  if (choices !== undefined) return `One of: ${choices.replaceAll('"', '').split('|').join(', ')}`
  return message.charAt(0).toUpperCase() + message.slice(1)
}

function syntaxWords(code: number | undefined): string {
  const name = code === undefined ? 'Empty' : printParseErrorCode(code)
  return `This is not JSON: ${name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()}.`
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

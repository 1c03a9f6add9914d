/** Adds rules to a document and keeps its existing text, including comments. */
import { isCollection, isMap, isSeq, parseDocument } from 'yaml'
import type { Document } from 'yaml'

/** Both texts must have compiled before: a map with rules, or a list of rules. `comment` goes above the first new rule. */
export function appendRules(source: string, addition: string, comment: string): string {
  const document: Document = parseDocument(source)
  const isJson = isCollection(document.contents) && document.contents.flow === true
  const added = plainRules(addition).map((rule) => document.createNode(rule, { aliasDuplicateObjects: false }))
  if (added[0] && !isJson) added[0].commentBefore = comment.replaceAll(/^/gm, ' ')
  const rules = rulesIn(document)
  if (rules) rules.items.push(...added)
  else if (isMap(document.contents)) document.set('rules', added)
  else document.contents = document.createNode({ rules: added })
  return document.toString({ lineWidth: 0, ...(isJson && quoted) })
}

const quoted = { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_DOUBLE' } as const

/** Expands YAML anchors, because their names may mean something else in the other document. */
function plainRules(addition: string): readonly unknown[] {
  const content = parseDocument(addition).toJS() as readonly unknown[] | { readonly rules?: readonly unknown[] } | null
  return Array.isArray(content) ? content : ((content as { rules?: readonly unknown[] } | null)?.rules ?? [])
}

function rulesIn(document: Document) {
  if (isSeq(document.contents)) return document.contents
  const rules = isMap(document.contents) ? document.get('rules') : undefined
  return isSeq(rules) ? rules : undefined
}

/** The completions for a place in a policy: keys, effects, and names of tools. */
import { effects } from '../../src/api/policy.ts'
import type { Choice, Completions } from '../editor/editor-props.ts'

const keysOfPolicy: readonly Choice[] = [
  { text: 'default: ', detail: 'where no rule matches' },
  { text: 'locked: ', detail: 'narrower policies keep the default' },
  { text: 'rules:', detail: 'the strictest match wins' },
]

const keysOfRule: readonly Choice[] = [
  { text: 'allow: ', detail: 'the call runs' },
  { text: 'ask: ', detail: 'a person decides' },
  { text: 'deny: ', detail: 'the agent continues without it' },
  { text: 'abort: ', detail: 'the turn ends' },
  { text: 'when: ', detail: 'JSON Schema on the arguments' },
  { text: 'reason: ', detail: 'the agent reads it' },
  { text: 'match: ', detail: 'examples, checked when saved' },
  { text: 'not_match: ', detail: 'examples, checked when saved' },
]

const effectWords = effects.join('|')
/** A list of names that begins in this line, before the cursor. */
const namesInLine = new RegExp(`^\\s*(?:- )?(?:${effectWords}):\\s*(?:\\[[^\\]]*)?["']?$`)
const effectLine = new RegExp(`^\\s*(?:- )?(?:${effectWords}):\\s*$`)

export function completePolicy(before: string, tools: readonly string[]): Completions | undefined {
  const lines = before.split('\n')
  const line = lines.at(-1) ?? ''
  const word = /[\w*?]*$/.exec(line)?.[0] ?? ''
  const rest = line.slice(0, line.length - word.length)
  const choices = choicesAfter(rest, lines.slice(0, -1), tools)
  return choices && { replaced: word.length, choices }
}

function choicesAfter(rest: string, above: readonly string[], tools: readonly string[]): readonly Choice[] | undefined {
  if (/^default:\s*$/.test(rest)) return effects.map((text) => ({ text }))
  if (/^locked:\s*$/.test(rest)) return [{ text: 'true' }, { text: 'false' }]
  if (namesInLine.test(rest)) return namesOf(tools)
  if (/^\s*- ["']?$/.test(rest) && isInNames(above, indentOf(rest))) return namesOf(tools)
  if (/^\s*- $/.test(rest) || /^\s+$/.test(rest)) return keysOfRule
  return rest === '' ? keysOfPolicy : undefined
}

/** The nearest line above that is indented less begins a list of names. */
function isInNames(above: readonly string[], indent: number): boolean {
  const owner = above.findLast((line) => line.trim() !== '' && indentOf(line) < indent)
  return owner !== undefined && effectLine.test(owner)
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

/** Each tool, and the patterns that cover a whole mount. */
function namesOf(tools: readonly string[]): readonly Choice[] {
  const mounts = [...new Set(tools.map((tool) => `${tool.split('_', 1)[0]}_*`))]
  return [...mounts.map((text) => ({ text, detail: 'all of them' })), ...tools.map((text) => ({ text }))]
}

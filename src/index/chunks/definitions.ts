/** Finds the definitions of a file with tree-sitter. Only this file imports the package, and only on first use. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type * as TreeSitter from 'web-tree-sitter'
import { cpuMs } from '../../base/cpu-ms.ts'
import { languageOf } from './languages.ts'
import type { Language } from './languages.ts'

export interface Definition {
  readonly name: string
  /** The name with those of the definitions around it, such as `Session.start`. */
  readonly symbol: string
  readonly kind: string
  /** Both are counted from 1 and included. */
  readonly startLine: number
  readonly endLine: number
}

/** A usual file takes a millisecond per 10 KB. A text that takes longer than this is meant to be slow, or not code. */
const parseLimitMs = 1_000
/** More matches under way than this are dropped by the engine; it bounds the time of a query. */
const matchLimit = 4_096
/** A file with more is generated, or data. */
const maxDefinitions = 5_000

interface Grammar {
  readonly parser: TreeSitter.Parser
  readonly query: TreeSitter.Query
}

const grammars = new Map<string, Promise<Grammar>>()

/** In order. `undefined`: the language is not known, or the text could not be parsed in time. */
export async function definitionsOf(path: string, text: string): Promise<readonly Definition[] | undefined> {
  const language = languageOf(path)
  if (!language) return undefined
  const { parser, query } = await grammarOf(language)
  const [deadline, cpuDeadline] = [performance.now() + parseLimitMs, cpuMs() + parseLimitMs]
  // The type of the package says `void`, but its text and its code take `true` to cancel. The clock
  // also runs while other processes have the CPU, so the CPU time decides. It is asked second, because that takes longer.
  const isLate = () => performance.now() > deadline && cpuMs() > cpuDeadline
  const tree = parser.parse(text, null, { progressCallback: isLate })
  if (!tree) {
    parser.reset()
    return undefined
  }
  try {
    const matches = query.matches(tree.rootNode, { matchLimit, progressCallback: isLate })
    return isLate() || matches.length > maxDefinitions ? undefined : withParents(matches.flatMap(found))
  } finally {
    tree.delete()
  }
}

interface Found extends Omit<Definition, 'symbol'> {
  readonly parent: string | undefined
}

function found({ captures }: TreeSitter.QueryMatch): Found[] {
  const name = captures.find((capture) => capture.name === 'name')?.node.text
  const parent = captures.find((capture) => capture.name === 'parent')?.node.text
  const definition = captures.find((capture) => capture.name !== 'name' && capture.name !== 'parent')
  if (name === undefined || name === '' || !definition) return []
  const { startPosition, endPosition } = definition.node
  const endLine =
    endPosition.column === 0 && endPosition.row > startPosition.row ? endPosition.row : endPosition.row + 1
  return [{ name: shortened(name), parent, kind: definition.name, startLine: startPosition.row + 1, endLine }]
}

/** A selector of CSS can be long, and the name of a C++ method contains its class. */
function shortened(name: string): string {
  const line = name.replaceAll(/\s+/g, ' ').replaceAll('::', '.')
  return line.length > 120 ? line.slice(0, 120) : line
}

/** The definitions around one are those that are still open where it begins. */
function withParents(all: readonly Found[]): readonly Definition[] {
  const sorted = all.toSorted((a, b) => a.startLine - b.startLine || b.endLine - a.endLine)
  const open: Definition[] = []
  const definitions: Definition[] = []
  for (const { parent, ...definition } of sorted) {
    while (open.length > 0 && open.at(-1)!.endLine < definition.endLine) open.pop()
    const around = open.at(-1)
    // An expression such as `const f = () => …` is found by two patterns.
    if (around?.name === definition.name && around.startLine === definition.startLine) continue
    const parents = parent ?? (around && definition.startLine <= around.endLine ? around.symbol : undefined)
    const lastName = definition.name.split('.').at(-1) ?? definition.name
    const symbol = parents === undefined ? definition.name : `${parents}.${definition.name}`
    const whole = { ...definition, name: lastName, symbol }
    definitions.push(whole)
    open.push(whole)
  }
  return definitions
}

const require = createRequire(import.meta.url)
let engine: Promise<typeof TreeSitter> | undefined

function grammarOf(language: Language): Promise<Grammar> {
  const loaded = grammars.get(language.grammar) ?? load(language)
  grammars.set(language.grammar, loaded)
  return loaded
}

async function load({ grammar, query }: Language): Promise<Grammar> {
  engine ??= startEngine()
  const { Language, Parser, Query } = await engine
  const file = require.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`)
  const language = await Language.load(readFileSync(file))
  const parser = new Parser()
  parser.setLanguage(language)
  return { parser, query: new Query(language, query) }
}

async function startEngine(): Promise<typeof TreeSitter> {
  const module = await import('web-tree-sitter')
  await module.Parser.init()
  return module
}

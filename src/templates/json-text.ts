/**
 * Parses JSON and keeps the position of each value, so that an error can name the line of a mistake. JSON.parse gives
 * a position for some syntax errors only, and none for values.
 */

export interface JsonText {
  readonly value: unknown
  /** The position of the value at this path, or of the nearest existing value around it. */
  placeOf(path: readonly PropertyKey[]): Place
}

/** Both count from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

export class JsonFault extends Error {
  readonly place: Place

  constructor(message: string, place: Place) {
    super(message)
    this.place = place
  }
}

export function readJson(text: string): JsonText {
  const root = parse(text)
  return {
    value: root.value,
    placeOf(path) {
      let node = root
      for (const step of path) {
        const child = node.children?.get(String(step))
        if (!child) break
        node = child
      }
      return placeAt(text, node.offset)
    },
  }
}

interface Node {
  readonly value: unknown
  /** For a member of an object, the offset of its key. */
  readonly offset: number
  readonly children?: ReadonlyMap<string, Node>
}

const blank = /[ \t\n\r]*/y
const stringToken = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy
const scalarToken = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)\b/y
const maxDepth = 100

function parse(text: string): Node {
  // Some editors begin a file with a byte order mark.
  let position = text.startsWith('\uFEFF') ? 1 : 0
  const root = readValue(0)
  skipBlank()
  if (position < text.length) fail('something follows the end of the JSON')
  return root

  function readValue(depth: number): Node {
    skipBlank()
    const offset = position
    if (depth > maxDepth) fail('it is nested too deeply')
    if (take('{')) return { offset, ...readObject(depth) }
    if (take('[')) return { offset, ...readArray(depth) }
    if (text[position] === '"') return { offset, value: readString() }
    const scalar = match(scalarToken)
    if (scalar === undefined) fail(`a value was expected${found()}`)
    return { offset, value: JSON.parse(scalar) as unknown }
  }

  function readObject(depth: number): Omit<Node, 'offset'> {
    const children = new Map<string, Node>()
    readMembers('}', () => {
      const offset = position
      if (text[position] !== '"') fail(`a name in double quotes was expected${found()}`)
      const key = readString()
      if (children.has(key)) fail(`"${key}" appears twice`, offset)
      skipBlank()
      if (!take(':')) fail(`":" was expected after "${key}"${found()}`)
      children.set(key, { ...readValue(depth + 1), offset })
    })
    return { value: Object.fromEntries(Array.from(children, ([key, { value }]) => [key, value])), children }
  }

  function readArray(depth: number): Omit<Node, 'offset'> {
    const children = new Map<string, Node>()
    readMembers(']', () => void children.set(String(children.size), readValue(depth + 1)))
    return { value: Array.from(children.values(), ({ value }) => value), children }
  }

  function readMembers(end: string, readMember: () => void): void {
    skipBlank()
    if (take(end)) return
    for (;;) {
      readMember()
      skipBlank()
      if (take(end)) return
      const comma = position
      if (!take(',')) fail(`"," or "${end}" was expected${found()}`)
      skipBlank()
      if (text[position] === end) fail(`there is a comma before "${end}"`, comma)
    }
  }

  function readString(): string {
    const token = match(stringToken)
    if (token === undefined) fail('the string does not end on its line, or has a wrong escape')
    return JSON.parse(token) as string
  }

  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = position
    const token = pattern.exec(text)?.[0]
    if (token !== undefined) position += token.length
    return token
  }

  function skipBlank(): void {
    match(blank)
    if (text.startsWith('//', position) || text.startsWith('/*', position)) fail('JSON has no comments')
  }

  function take(character: string): boolean {
    if (text[position] !== character) return false
    position += 1
    return true
  }

  function found(): string {
    const rest = /^[\w.+-]+|^./u.exec(text.slice(position, position + 20))?.[0]
    return rest === undefined ? ', but the text ends' : `, not ${rest}`
  }

  function fail(message: string, offset = position): never {
    throw new JsonFault(message, placeAt(text, offset))
  }
}

function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}

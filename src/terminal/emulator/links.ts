/**
 * Links that programs attach to text (OSC 8). The emulator would keep a marker for each link ever printed, and move all
 * of them at every scroll. Here a link is a number in the cell and an entry in a table, which drops links that no line
 * has.
 */
import type { Emulator } from './emulator.ts'
import type { EmulatorBuffer } from './internals.ts'

export interface Links {
  /** `undefined` for 0, which means no link, and for a link that was dropped. */
  get(id: number): Link | undefined
}

export interface Link {
  /** `id=…`, with which a program says that two pieces of text are one link. */
  readonly parameters: string
  readonly url: string
}

/** As in other terminals. Longer ones are ignored. */
const maxUrlLength = 2083
const maxParametersLength = 250
const maxTotalLength = 4 * 1024 * 1024
/** What an entry of the table takes besides its text. */
const entryLength = 200

export function followLinks({ parser, internals }: Emulator, limit = maxTotalLength): Links {
  const byId = new Map<number, Link>()
  const ids = new Map<string, number>()
  let lastId = 0
  let totalLength = 0

  parser.registerOscHandler(8, (data) => {
    const end = data.indexOf(';')
    if (end >= 0) open(idOf({ parameters: data.slice(0, end), url: data.slice(end + 1) }))
    return true
  })

  function open(id: number): void {
    const attributes = internals._inputHandler._curAttrData
    // Earlier cells share this object, so it must not be changed in place.
    attributes.extended = attributes.extended.clone()
    attributes.extended.urlId = id
    attributes.updateExtended()
  }

  function idOf(link: Link): number {
    if (link.url === '' || link.url.length > maxUrlLength || link.parameters.length > maxParametersLength) return 0
    const key = keyOf(link)
    const known = ids.get(key)
    if (known !== undefined) return known
    if (totalLength + lengthOf(key) > limit) dropSome()
    const id = ++lastId
    byId.set(id, link)
    ids.set(key, id)
    totalLength += lengthOf(key)
    return id
  }

  /** Drops links that no line has; if that is not enough, the older half of the others. */
  function dropSome(): void {
    const { normal, alt } = internals.buffers
    const used = new Set([...linksOn(normal), ...linksOn(alt)])
    for (const id of byId.keys()) if (!used.has(id)) drop(id)
    for (const id of byId.keys()) if (totalLength > limit / 2) drop(id)
  }

  function drop(id: number): void {
    const key = keyOf(byId.get(id)!)
    byId.delete(id)
    ids.delete(key)
    totalLength -= lengthOf(key)
  }

  return { get: (id) => byId.get(id) }
}

function keyOf({ parameters, url }: Link): string {
  return `${parameters};${url}`
}

function lengthOf(key: string): number {
  return entryLength + key.length
}

function* linksOn({ lines }: EmulatorBuffer): Generator<number> {
  for (let index = 0; index < lines.length; index++) {
    for (const extended of Object.values(lines.get(index)!._extendedAttrs)) if (extended?.urlId) yield extended.urlId
  }
}

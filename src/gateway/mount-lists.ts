/** Reads the lists of an upstream, all pages of them, unchanged. */
import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { isReturnable, TooLongToReturn } from '../base/returned-text.ts'
import type { Client, Params } from '../mcp/mcp.ts'
import { clientCapabilities, errorCode, RpcError } from '../mcp/mcp.ts'
import type { Upstream } from '../upstream/upstream.ts'

export interface MountLists {
  readonly tools: readonly Listed[]
  readonly resources: readonly Listed[]
  readonly resourceTemplates: readonly Listed[]
  readonly prompts: readonly Listed[]
}

/** One entry of a list, as the upstream sent it. */
export type Listed = Readonly<Record<string, unknown>>
export type ListField = keyof MountLists

export const listFields: readonly ListField[] = ['tools', 'resources', 'resourceTemplates', 'prompts']
export const noLists: MountLists = { tools: [], resources: [], resourceTemplates: [], prompts: [] }

/** One list, and facts about it that are computed only once. */
export interface MeasuredList {
  readonly entries: readonly Listed[]
  readonly bytes: number
  readonly digest: string
  /** The list was longer than its quota, or had an entry too large to keep. */
  readonly isCut: boolean
  /** Its pages did not end, or began again. */
  readonly isEndless: boolean
}

const methods: Readonly<Record<ListField, { readonly method: string; readonly capability: string }>> = {
  tools: { method: 'tools/list', capability: 'tools' },
  resources: { method: 'resources/list', capability: 'resources' },
  resourceTemplates: { method: 'resources/templates/list', capability: 'resources' },
  prompts: { method: 'prompts/list', capability: 'prompts' },
}

/** An upstream that pages without end must neither fill the hub nor keep it busy. */
const maxEntries = 20_000
/** Of one list. Servers send 20 entries a page and more. */
export const mostPages = 300
const pageMs = 30_000
const listMs = 120_000
/** Larger entries are left out: the hub processes an entry without a pause for other work. */
export const largestEntry = { bytes: 256 * 1024, members: 10_000 }
/** Keys and array elements cost more time and memory than their text. Each counts as this many bytes more. */
const bytesPerMember = 64
/** After this many bytes other work gets a turn. */
const bytesPerTurn = 256 * 1024

/** How many bytes of JSON the lists may still take. Lists that are read together share it. */
export interface Quota {
  bytes: number
}

export async function readList(
  upstream: Upstream,
  client: Pick<Client, 'capabilities'>,
  field: ListField,
  quota: Quota,
): Promise<MeasuredList> {
  const { method, capability } = methods[field]
  const measured = createMeasure(quota)
  if (!(capability in (upstream.identity?.capabilities ?? {}))) return measured.end()
  const seen = new Set<unknown>()
  const deadline = AbortSignal.timeout(listMs)
  let params: Params = {}
  for (;;) {
    const signal = AbortSignal.any([deadline, AbortSignal.timeout(pageMs)])
    const page = (await upstream
      .request(method, params, { signal, client, isSafe: true })
      .catch(orNothing)) as Readonly<Record<string, unknown>>
    const cursor = page['nextCursor']
    const entries = Array.isArray(page[field]) ? (page[field] as readonly Listed[]) : []
    if (!(await measured.add(entries)) || cursor === undefined || cursor === null) return measured.end()
    if (!isReturnable(cursor)) throw new TooLongToReturn(`The cursor of ${method}`)
    // Each page but the first has a cursor.
    if (seen.has(cursor) || seen.size >= mostPages - 1) return { ...measured.end(), isEndless: true }
    seen.add(cursor)
    params = { cursor }
  }
}

/** The facts about a list without its entries. */
export type Measure = Omit<MeasuredList, 'entries'>

/** The last known lists of an upstream, and their measures. */
export interface MeasuredLists {
  readonly lists: MountLists
  readonly measures: ReadonlyMap<ListField, Measure>
}

export const nothingMeasured: MeasuredLists = { lists: noLists, measures: new Map() }

export interface Reading {
  readonly listed: MeasuredLists
  readonly changed: readonly ListField[]
  /** The lists that could not be read. They keep their last known entries. */
  readonly missing: readonly ListField[]
  readonly reason: unknown
}

/** Reads some of the lists again. The others keep their share of the quota. */
export async function readAgain(
  upstream: Upstream,
  fields: readonly ListField[],
  { lists, measures }: MeasuredLists,
  maxBytes: number,
): Promise<Reading> {
  const client = { capabilities: clientCapabilities }
  const others = measures.entries().filter(([field]) => !fields.includes(field))
  const quota = { bytes: maxBytes - others.reduce((sum, [, { bytes }]) => sum + bytes, 0) }
  const found = new Map<ListField, MeasuredList>()
  const missing: ListField[] = []
  let reason: unknown
  const readOne = async (field: ListField) => {
    try {
      found.set(field, await readList(upstream, client, field, quota))
    } catch (error) {
      missing.push(field)
      reason = error
    }
  }
  await Promise.all(fields.map(readOne))
  const isNew = ([field, { digest }]: readonly [ListField, Measure]) =>
    digest !== (measures.get(field)?.digest ?? emptyDigest)
  return {
    listed: mergeLists(found, { lists, measures }),
    changed: [...found].filter(isNew).map(([field]) => field),
    missing,
    reason,
  }
}

/** Measures lists as if they had just been read. */
export async function measureLists(lists: MountLists): Promise<MeasuredLists> {
  const found = new Map<ListField, MeasuredList>()
  for (const field of listFields) {
    const measured = createMeasure({ bytes: Number.POSITIVE_INFINITY })
    await measured.add(lists[field])
    found.set(field, measured.end())
  }
  return mergeLists(found, nothingMeasured)
}

function mergeLists(found: ReadonlyMap<ListField, MeasuredList>, { lists, measures }: MeasuredLists): MeasuredLists {
  const entries = [...found].map(([field, list]) => [field, list.entries])
  const measured = [...found].map(([field, { entries: _, ...measure }]) => [field, measure] as const)
  return {
    lists: { ...lists, ...(Object.fromEntries(entries) as Partial<MountLists>) },
    measures: new Map([...measures, ...measured]),
  }
}

const emptyDigest = createHash('sha256').digest('hex')

function createMeasure(quota: Quota) {
  const entries: Listed[] = []
  const hash = createHash('sha256')
  let bytes = 0
  let sinceTurn = 0
  let isFull = false
  let hasLeftOut = false

  /** False if the quota is used up. */
  function take({ text, size }: Written): boolean {
    isFull ||= size > quota.bytes || entries.length >= maxEntries
    if (isFull) return false
    quota.bytes -= size
    bytes += size
    sinceTurn += size
    hash.update(text).update('\n')
    return true
  }

  return {
    async add(more: readonly Listed[]): Promise<boolean> {
      for (const entry of more) {
        const written = write(entry)
        if (written && !take(written)) return false
        if (written) entries.push(entry)
        else {
          hasLeftOut = true
          sinceTurn += largestEntry.bytes
        }
        if (sinceTurn < bytesPerTurn) continue
        sinceTurn = 0
        await turn()
      }
      return true
    },
    end: (): MeasuredList => ({
      entries,
      bytes,
      isCut: isFull || hasLeftOut,
      isEndless: false,
      digest: hash.digest('hex'),
    }),
  }
}

/** An entry as JSON, and its cost in the quota. */
interface Written {
  readonly text: string
  readonly size: number
}

/** `undefined` if the entry is too large. It finds that out without serializing all of it. */
function write(entry: Listed): Written | undefined {
  let characters = 0
  let members = 0
  const left: unknown[] = [entry]
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value === 'string') characters += value.length
    if (typeof value !== 'object' || value === null) continue
    const keys = Object.keys(value)
    members += keys.length
    if (characters > largestEntry.bytes || members > largestEntry.members) return undefined
    left.push(...Object.values(value), ...(Array.isArray(value) ? [] : keys))
  }
  if (characters > largestEntry.bytes) return undefined
  const text = JSON.stringify(entry)
  const bytes = Buffer.byteLength(text)
  return bytes > largestEntry.bytes ? undefined : { text, size: bytes + members * bytesPerMember }
}

/** Some servers declare resources but do not implement templates. */
function orNothing(error: unknown): object {
  if (error instanceof RpcError && error.code === errorCode.methodNotFound) return {}
  throw error
}

/**
 * Tools and prompts belong to the program. Resources may belong to one workspace, so other sessions must not see them.
 */
export function forAnySession(lists: MountLists): MountLists {
  return { ...lists, resources: [], resourceTemplates: [] }
}

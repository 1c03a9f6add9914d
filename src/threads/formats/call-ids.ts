/** Gives calls ids and names that the provider takes, each id once. */
import type { ThreadEntry } from '../../api/thread.ts'
import type { Format } from './format.ts'

/** The limits of a tool's name that all providers accept. */
const mostNameLength = 64
const notInNames = /[^\w-]/g

export function safeCallIds(
  entries: readonly ThreadEntry[],
  { callIds, name: format }: Format,
): readonly ThreadEntry[] {
  const used = new Set<string>()
  /** The ids of the calls whose results have not come. */
  const open = new Map<string, string>()

  function idFor(wanted: string): string {
    const isTaken = (id: string) => used.has(id)
    const plain = callIds.pattern.test(wanted) ? wanted : wanted.replaceAll(/[^\w-]/g, '_')
    let id = plain.slice(0, callIds.most)
    for (let count = 2; id === '' || isTaken(id); count++) id = `${plain.slice(0, callIds.most - 8)}_${count}`
    used.add(id)
    return id
  }

  return entries.map((entry) => {
    if (entry.type !== 'tool-request' && entry.type !== 'tool-result') return entry
    if (entry.type === 'tool-request') open.set(entry.callId, idFor(entry.callId))
    const callId = open.get(entry.callId) ?? entry.callId
    const name = entry.extra?.format === format ? entry.name : safeName(entry.name)
    return { ...entry, callId, name }
  })
}

function safeName(name: string): string {
  return name.replaceAll(notInNames, '_').slice(0, mostNameLength) || 'tool'
}

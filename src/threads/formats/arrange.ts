/**
 * The order that every provider takes: the results of calls right after the calls, and a result for each call. A turn
 * may have been cut before a result came, or a person may have said something meanwhile.
 */
import type { ThreadEntry } from '../../api/thread.ts'

export function arranged(entries: readonly ThreadEntry[]): readonly ThreadEntry[] {
  // A provider may have given the same id to several calls.
  const results = new Map<string, ThreadEntry[]>()
  for (const entry of entries) {
    if (entry.type === 'tool-result') results.set(entry.callId, [...(results.get(entry.callId) ?? []), entry])
  }
  const ordered: ThreadEntry[] = []
  let open: (ThreadEntry & { type: 'tool-request' })[] = []

  function close(): void {
    for (const request of open) ordered.push(results.get(request.callId)?.shift() ?? noResultOf(request))
    open = []
  }

  for (const entry of entries) {
    switch (entry.type) {
      case 'tool-request':
        ordered.push(entry)
        open.push(entry)
        break
      case 'tool-result':
        close()
        break
      case 'thinking':
      case 'text':
      case 'prompt':
        close()
        ordered.push(entry)
        break
      case 'complete':
      case 'error':
        break
    }
  }
  close()
  return ordered
}

function noResultOf({ callId, name, parameters, seq, key, at }: ThreadEntry & { type: 'tool-request' }): ThreadEntry {
  const error = 'The call has no result: the turn ended before it came.'
  return { type: 'tool-result', callId, name, parameters, result: null, error, seq, key: `${key}.none`, at }
}

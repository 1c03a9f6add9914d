import type { Message } from './message.ts'

/** What does no harm when it happens twice. A tool call may, and so may what we do not know. */
const harmless = new Set([
  'initialize',
  'server/discover',
  'ping',
  'tools/list',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
  'logging/setLevel',
])

export function isRepeatable({ ids, method }: Message): boolean {
  // Who waits for no answer, a notification or a response, is not harmed by two of them.
  return ids.length === 0 || (method !== undefined && harmless.has(method))
}

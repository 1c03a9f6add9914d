import type { Message } from './message.ts'

/** Methods that are safe to repeat. Tool calls and unknown methods are not. */
const idempotentMethods = new Set([
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

export function isIdempotent({ ids, method }: Message): boolean {
  // Notifications and responses expect no answer, and repeating them is safe.
  return ids.length === 0 || (method !== undefined && idempotentMethods.has(method))
}

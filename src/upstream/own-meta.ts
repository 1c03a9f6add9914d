/** Removes the `_meta` keys that only the hub may set, so that no upstream can pretend to be the hub. */
import { isRecord } from '../mcp/mcp.ts'

const ownPrefix = 'io.signalbox/'

/** Changes the message, which was parsed for this reader only: a copy of each message would cost more. */
export function removeOwnMeta(value: unknown): void {
  if (Array.isArray(value)) for (const one of value) removeOwnMeta(one)
  else if (isRecord(value)) removeFrom(value)
}

function removeFrom(fields: Readonly<Record<string, unknown>>): void {
  const meta = fields['_meta']
  if (isRecord(meta)) for (const name in meta) if (name.startsWith(ownPrefix)) Reflect.deleteProperty(meta, name)
  for (const name of holders) if (fields[name] !== undefined) removeOwnMeta(fields[name])
  const { inputRequests } = fields
  if (isRecord(inputRequests)) for (const key in inputRequests) removeOwnMeta(inputRequests[key])
}

/** The fields whose values may have a `_meta`, in any message of MCP. Data such as `structuredContent` may not. */
const holders = [
  'result',
  'params',
  'content',
  'resource',
  'contents',
  'messages',
  'tools',
  'resources',
  'resourceTemplates',
  'prompts',
  'task',
  'tasks',
  'error',
  'data',
  'elicitations',
] as const

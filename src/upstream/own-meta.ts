/** Removes the `_meta` keys that only the hub may set, so that no upstream can pretend to be the hub. */
import { isRecord } from '../mcp/mcp.ts'

const ownPrefix = 'io.signalbox/'

/** Changes the message, which was parsed for this reader only: a copy of each message would cost more. */
export function removeOwnMeta(value: unknown): void {
  if (Array.isArray(value)) for (const one of value) removeOwnMeta(one)
  else if (isRecord(value)) removeFrom(value)
}

function removeFrom(fields: Readonly<Record<string, unknown>>): void {
  for (const name in fields) {
    if (name === '_meta') removeKeys(fields[name])
    else if (holders.has(name)) removeOwnMeta(fields[name])
    else if (name === 'inputRequests') removeFromEach(fields[name])
  }
}

/** A long text in their place has a value for each of its characters. */
function removeFromEach(questions: unknown): void {
  if (isRecord(questions)) for (const question of Object.values(questions)) removeOwnMeta(question)
}

function removeKeys(meta: unknown): void {
  if (isRecord(meta)) for (const name in meta) if (name.startsWith(ownPrefix)) Reflect.deleteProperty(meta, name)
}

/** The fields whose values may have a `_meta`, in any message of MCP. Data such as `structuredContent` may not. */
const holders: ReadonlySet<string> = new Set([
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
])

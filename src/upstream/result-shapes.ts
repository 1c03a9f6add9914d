/** The fields that the revisions require in results and that other code depends on. */
export type Fields = Readonly<Record<string, 'string' | 'number' | 'object' | 'array'>>

export interface ResultShape {
  readonly fields: Fields
  /** 2026-07-28 requires the result to say how long it may be cached. */
  readonly isCached: boolean
}

export const cacheFields: Fields = { ttlMs: 'number', cacheScope: 'string' }

export const resultShapes: ReadonlyMap<string, ResultShape> = new Map([
  [
    'initialize',
    { fields: { protocolVersion: 'string', capabilities: 'object', serverInfo: 'object' }, isCached: false },
  ],
  ['tools/list', { fields: { tools: 'array' }, isCached: true }],
  ['tools/call', { fields: { content: 'array' }, isCached: false }],
  ['resources/list', { fields: { resources: 'array' }, isCached: true }],
  ['resources/templates/list', { fields: { resourceTemplates: 'array' }, isCached: true }],
  ['resources/read', { fields: { contents: 'array' }, isCached: true }],
  ['prompts/list', { fields: { prompts: 'array' }, isCached: true }],
  ['prompts/get', { fields: { messages: 'array' }, isCached: false }],
  ['completion/complete', { fields: { completion: 'object' }, isCached: false }],
])

export interface ListShape {
  readonly list: string
  readonly entry: string
  readonly fields: Fields
}

export const listShapes: ReadonlyMap<string, ListShape> = new Map<string, ListShape>([
  ['tools/list', { list: 'tools', entry: 'tool', fields: { name: 'string', inputSchema: 'object' } }],
  ['resources/list', { list: 'resources', entry: 'resource', fields: { name: 'string', uri: 'string' } }],
  [
    'resources/templates/list',
    { list: 'resourceTemplates', entry: 'template', fields: { name: 'string', uriTemplate: 'string' } },
  ],
  ['prompts/list', { list: 'prompts', entry: 'prompt', fields: { name: 'string' } }],
])

/** The fields of the content types that we know. */
export const contentFields: ReadonlyMap<string, Fields> = new Map<string, Fields>([
  ['text', { text: 'string' }],
  ['image', { data: 'string', mimeType: 'string' }],
  ['audio', { data: 'string', mimeType: 'string' }],
  ['resource', { resource: 'object' }],
  ['resource_link', { name: 'string', uri: 'string' }],
])

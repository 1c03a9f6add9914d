import type { Resource, ResourceTemplate } from '../../src/mcp/mcp.ts'
import { pixelPng } from './samples.ts'

export const fixtureResources: readonly Resource[] = [
  textResource('test://static-text', 'static-text', 'This is the content of the static text resource.'),
  textResource('test://watched-resource', 'watched-resource', 'Somebody may watch this.'),
  {
    uri: 'test://static-binary',
    name: 'static-binary',
    description: 'One pixel.',
    mimeType: 'image/png',
    read: async () => ({ contents: [{ uri: 'test://static-binary', mimeType: 'image/png', blob: pixelPng }] }),
  },
]

export const fixtureTemplates: readonly ResourceTemplate[] = [
  {
    uriTemplate: 'test://template/{id}/data',
    name: 'template-data',
    description: 'Data for any id.',
    mimeType: 'application/json',
    async read(uri, { id }) {
      const data = { id, templateTest: true, data: `Data for ID: ${String(id)}` }
      return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(data) }] }
    },
  },
]

function textResource(uri: string, name: string, words: string): Resource {
  return {
    uri,
    name,
    description: 'A text that never changes.',
    mimeType: 'text/plain',
    read: async () => ({ contents: [{ uri, mimeType: 'text/plain', text: words }] }),
  }
}

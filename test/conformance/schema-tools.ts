/** Tools whose input schema must reach the client unchanged. */
import type { Tool } from '../../src/mcp/mcp.ts'
import { fixtureTool, text } from './fixture-tool.ts'

export const schemaTools: readonly Tool[] = [
  fixtureTool(
    'json_schema_2020_12_tool',
    'Has a schema with the vocabulary of JSON Schema 2020-12.',
    (args) => text(JSON.stringify(args)),
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
  ),

  fixtureTool(
    'test_x_mcp_header',
    'Has an argument that is repeated in an HTTP header.',
    ({ region }) => text(`Region: ${String(region)}`),
    {
      type: 'object',
      properties: { region: { type: 'string', description: 'Where to run', 'x-mcp-header': 'Region' } },
    },
  ),
]

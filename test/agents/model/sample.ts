import type { JsonSchema } from './conversation.ts'

/** A simple value that the schema allows. It takes the first choice if there are several. */
export function sampleOf(schema: JsonSchema): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf?.[0]) return sampleOf(schema.anyOf[0])
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0]
  switch (type?.toLowerCase()) {
    case 'object':
      return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, sampleOf(inner)]))
    case 'array':
      return []
    case 'number':
    case 'integer':
      return 1
    case 'boolean':
      return true
    default:
      return 'sample'
  }
}

/** The fields of a form, made from a JSON Schema. A part that the form cannot show is a field for JSON. */

export type Schema = Readonly<Record<string, unknown>>

export type FieldKind =
  | { readonly is: 'text'; readonly isLong: boolean }
  | { readonly is: 'number'; readonly isWhole: boolean }
  | { readonly is: 'switch' }
  | { readonly is: 'choice'; readonly choices: readonly unknown[] }
  | { readonly is: 'rows'; readonly item: Field }
  | { readonly is: 'group'; readonly fields: readonly Field[] }
  | { readonly is: 'json' }

export interface Field {
  readonly name: string
  readonly isRequired: boolean
  readonly kind: FieldKind
  readonly schema: Schema
  /** Type and limits, by the label. */
  readonly note: string
  readonly description: string | undefined
}

/** Schemas may refer to themselves. Deeper levels are fields for JSON. */
const deepest = 5

/** The fields of a tool's input. */
export function fieldsOf(input: Schema): readonly Field[] {
  const root = fieldOf('', resolved(input, input), input, { isRequired: true, depth: 0 })
  return root.kind.is === 'group' ? root.kind.fields : []
}

interface Place {
  readonly isRequired: boolean
  readonly depth: number
}

function fieldOf(name: string, schema: Schema, root: Schema, { isRequired, depth }: Place): Field {
  const kind = kindOf(name, schema, root, depth)
  const description = typeof schema['description'] === 'string' ? schema['description'] : undefined
  return { name, isRequired, kind, schema, note: noteOf(kind, schema), description }
}

function kindOf(name: string, schema: Schema, root: Schema, depth: number): FieldKind {
  const choices = schema['enum'] ?? ('const' in schema ? [schema['const']] : undefined)
  if (Array.isArray(choices)) return { is: 'choice', choices }
  const inside = (part: unknown, partName: string, isRequired: boolean) =>
    fieldOf(partName, resolved(asSchema(part), root), root, { isRequired, depth: depth + 1 })
  switch (typeOf(schema)) {
    case 'string':
      return { is: 'text', isLong: isLongText(name, schema) }
    case 'number':
      return { is: 'number', isWhole: false }
    case 'integer':
      return { is: 'number', isWhole: true }
    case 'boolean':
      return { is: 'switch' }
    case 'array':
      if (depth >= deepest || !isSchema(schema['items'])) return { is: 'json' }
      return { is: 'rows', item: inside(schema['items'], singular(name), true) }
    case 'object': {
      const properties = Object.entries(asSchema(schema['properties']))
      if (depth >= deepest || (properties.length === 0 && depth > 0)) return { is: 'json' }
      const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []
      return { is: 'group', fields: properties.map(([key, part]) => inside(part, key, required.includes(key))) }
    }
  }
  return { is: 'json' }
}

/** Follows a reference into the same document, and takes the one variant that is not null. */
function resolved(schema: Schema, root: Schema, depth = 0): Schema {
  const reference = schema['$ref']
  if (depth > deepest) return {}
  if (typeof reference === 'string') {
    const target = reference
      .replace(/^#\/?/, '')
      .split('/')
      .filter((part) => part !== '')
      .reduce<unknown>((value, part) => asSchema(value)[part.replaceAll('~1', '/').replaceAll('~0', '~')], root)
    const { $ref: _, ...beside } = schema
    return reference.startsWith('#') ? resolved({ ...asSchema(target), ...beside }, root, depth + 1) : {}
  }
  const variants = schema['anyOf'] ?? schema['oneOf']
  if (!Array.isArray(variants)) return schema
  const others = variants.filter((variant) => asSchema(variant)['type'] !== 'null')
  const { anyOf: _any, oneOf: _one, ...beside } = schema
  const [only] = others
  if (others.length === 1) return resolved({ ...asSchema(only), ...beside }, root, depth + 1)
  const constants = others.map((variant) => asSchema(variant)['const'])
  return constants.every((value) => value !== undefined) ? { ...beside, enum: constants } : schema
}

function typeOf(schema: Schema): unknown {
  const { type } = schema
  if (Array.isArray(type)) {
    const types = type.filter((each) => each !== 'null')
    return types.length === 1 ? (types[0] as unknown) : undefined
  }
  if (type !== undefined) return type
  return 'properties' in schema ? 'object' : undefined
}

const longNames =
  /^(?:.*_)?(?:body|content|contents|text|message|prompt|description|code|query|sql|script|source|data)$/i

function isLongText(name: string, { maxLength, format }: Schema): boolean {
  if (format !== undefined) return false
  return typeof maxLength === 'number' ? maxLength > 256 : longNames.test(name)
}

function noteOf(kind: FieldKind, schema: Schema): string {
  const type = { text: 'string', switch: 'boolean', choice: 'choice', json: 'JSON', group: 'object' } as const
  const limits = limitsOf(schema)
  switch (kind.is) {
    case 'number':
      return [kind.isWhole ? 'integer' : 'number', ...limits].join(', ')
    case 'rows':
      return [`array of ${plural(kind.item.kind)}`, ...limits].join(', ')
    case 'choice':
    case 'group':
      return type[kind.is]
    case 'text':
    case 'switch':
    case 'json':
      return [type[kind.is], ...limits].join(', ')
  }
}

function limitsOf(schema: Schema): readonly string[] {
  const limit = (name: string, words: (value: string) => string) => {
    const value = schema[name]
    return typeof value === 'number' || typeof value === 'string' ? [words(String(value))] : []
  }
  return [
    ...limit('format', (value) => value),
    ...limit('minLength', (value) => (value === '0' || value === '1' ? '' : `at least ${value}`)),
    ...limit('maxLength', (value) => `at most ${value}`),
    ...limit('minimum', (value) => `from ${value}`),
    ...limit('exclusiveMinimum', (value) => `above ${value}`),
    ...limit('maximum', (value) => `to ${value}`),
    ...limit('exclusiveMaximum', (value) => `below ${value}`),
    ...limit('multipleOf', (value) => `multiple of ${value}`),
    ...limit('pattern', (value) => `like ${value}`),
    ...limit('minItems', (value) => (value === '0' ? '' : `at least ${value}`)),
    ...limit('maxItems', (value) => `at most ${value}`),
  ].filter((words) => words !== '')
}

function plural(kind: FieldKind): string {
  const words = { text: 'strings', number: 'numbers', switch: 'booleans', choice: 'choices', rows: 'arrays' } as const
  if (kind.is === 'group') return 'objects'
  return kind.is === 'json' ? 'JSON' : words[kind.is]
}

/** `reviewers` → `reviewer` */
function singular(name: string): string {
  if (name.endsWith('ies')) return name.replace(/ies$/, 'y')
  return /[^s]s$/.test(name) ? name.slice(0, -1) : name
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function asSchema(value: unknown): Schema {
  return isSchema(value) ? value : {}
}

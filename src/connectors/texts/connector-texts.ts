/** Visits every text of a connector that may contain a reference or a secret. */
import type { Connector } from '../../api/connector.ts'
import { isRecord } from '../../base/is-record.ts'
import { nameBefore } from './literal-secrets.ts'

export interface TextPlace {
  /** The path in the form that people use: `headers.Authorization`, `args[2]`. */
  readonly path: string
  /** The key or flag that the text belongs to, if there is one. */
  readonly name?: string
  readonly field: 'base_url' | 'cmd' | 'args' | 'headers' | 'options'
}

/** A connector, or the overrides of a binding. */
export type Texts = { readonly [Field in TextPlace['field']]?: Connector[Field] | undefined }

/** Returns a copy in which `map` has replaced each text. */
export function mapTexts<T extends Texts>(connector: T, map: (text: string, place: TextPlace) => string): T {
  const { base_url: url, cmd, args, headers, options } = connector
  return {
    ...connector,
    ...(url !== undefined && { base_url: map(url, { path: 'base_url', field: 'base_url' }) }),
    ...(cmd !== undefined && { cmd: map(cmd, { path: 'cmd', field: 'cmd' }) }),
    ...(args && { args: args.map((arg, index) => map(arg, argPlace(args, index))) }),
    ...(headers && {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, text]) => [
          name,
          map(text, { path: `headers.${name}`, name, field: 'headers' }),
        ]),
      ),
    }),
    ...(options && { options: mapInside(options, 'options', undefined, map) }),
  }
}

function argPlace(args: readonly string[], index: number): TextPlace {
  const name = nameBefore(args, index)
  return { path: `args[${index}]`, field: 'args', ...(name !== undefined && { name }) }
}

function mapInside(
  value: unknown,
  path: string,
  name: string | undefined,
  map: (text: string, place: TextPlace) => string,
): unknown {
  if (typeof value === 'string') return map(value, { path, field: 'options', ...(name !== undefined && { name }) })
  if (Array.isArray(value)) return value.map((part, index) => mapInside(part, `${path}[${index}]`, name, map))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, mapInside(part, `${path}.${key}`, key, map)]),
  )
}

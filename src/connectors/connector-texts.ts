/** Every text of a connector in which something may be written that is more than a name. */
import type { Connector } from '../api/connector.ts'
import { isRecord } from '../base/is-record.ts'
import { nameBefore } from './literal-secrets.ts'

export interface TextPlace {
  /** As a person would point to it: `headers.Authorization`, `args[2]`. */
  readonly path: string
  /** What the text stands under, where that says something about it. */
  readonly name?: string
  readonly field: 'base_url' | 'cmd' | 'args' | 'headers' | 'options'
}

/** A connector, or what a binding changes of one. */
export type Texts = { readonly [Field in TextPlace['field']]?: Connector[Field] | undefined }

/** A copy with each text replaced by what `map` makes of it. */
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

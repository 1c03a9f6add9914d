/** Names for the variables that replace secrets. */
import type { TextPlace } from './connector-texts.ts'

export function suggestVariable(connector: string, { path, name }: Pick<TextPlace, 'path' | 'name'>): string {
  // Keep the name of a program's own variable, because its documentation uses that name.
  if (path.startsWith('options.env.') && name !== undefined && /^[A-Za-z_]\w*$/.test(name)) return name
  return ownVariable(connector, name)
}

/** `my-hub` and `x-api-key` become MY_HUB_API_KEY. */
export function ownVariable(connector: string, name: string | undefined): string {
  const prefix = upper(connector)
  const what = upper(name ?? 'secret').replace(/^X_(?=.)/, '')
  const word = what === 'AUTHORIZATION' || what === '' ? 'TOKEN' : what
  const whole = word.startsWith(`${prefix}_`) ? word : `${prefix}_${word}`
  return /^\d/.test(whole) ? `MCP_${whole}` : whole
}

function upper(text: string): string {
  return text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z\d]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toUpperCase()
}

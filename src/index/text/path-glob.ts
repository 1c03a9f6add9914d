/**
 * Globs over paths, as people write them. `*` and `?` stay in a folder, `**` crosses folders, `{a,b}` is a choice. A glob
 * without a slash matches at any depth, and one that matches a folder matches all below it.
 */
import { HubError } from '../../base/hub-error.ts'
import { compilePattern } from '../../base/pattern.ts'

const maxLength = 256

export async function compileGlob(glob: string): Promise<(path: string) => boolean> {
  if (glob.length > maxLength) throw new HubError('invalid', `The glob is longer than ${maxLength} characters.`)
  const plain = glob.replace(/^\.?\/+/, '').replace(/\/+$/, '')
  const start = plain.includes('/') || plain === '' ? '' : '(?:.*/)?'
  const pattern = await compilePattern(`^${start}${expressionOf(plain)}(?:/.*)?$`, { ignoreCase: false })
  return (path) => plain === '' || pattern.test(path)
}

function expressionOf(glob: string): string {
  let depth = 0
  const source = glob.replaceAll(/\*\*\/|\*\*|[^]/gu, (part) => {
    if (part === '**/') return '(?:.*/)?'
    if (part === '**') return '.*'
    if (part === '*') return '[^/]*'
    if (part === '?') return '[^/]'
    if (part === '{') return depth++ === 0 ? '(?:' : '\\{'
    if (part === '}' && depth > 0) return --depth === 0 ? ')' : '\\}'
    if (part === ',' && depth > 0) return '|'
    return /[\\^$.|+()[\]{}]/.test(part) ? `\\${part}` : part
  })
  if (depth > 0) throw new HubError('invalid', `The glob "${glob}" has a "{" without its "}".`)
  return source
}

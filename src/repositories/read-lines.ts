/** Reads lines of an indexed file. Paths are relative to the root, and never lead out of it. */
import { basename } from 'node:path'
import { HubError } from '../base/hub-error.ts'
import type { FileLines } from '../index/index.ts'
import type { IndexedContent, ReadRequest } from './repository.ts'

/** As much as is useful to a model. The rest is read with "start". */
const mostLines = 2_000
const mostCharacters = 200_000

export async function readLines(content: IndexedContent, { path, start = 1, end }: ReadRequest): Promise<FileLines> {
  if (end !== undefined && end < start) throw new HubError('invalid', `"end" (${end}) is before "start" (${start}).`)
  const last = Math.min(end ?? Infinity, start + mostLines - 1)
  const lines = await content.read(path, { start, end: last })
  if (!lines) throw new HubError('not-found', await whyMissing(content, path))
  if (start > Math.max(lines.total_lines, 1)) {
    throw new HubError(
      'invalid',
      `"start" (${start}) is past the end of "${path}", which has ${lines.total_lines} lines.`,
    )
  }
  return shortened(lines)
}

export function isInnerPath(path: string): boolean {
  return !path.includes('\0') && path.split('/').every((part) => !['', '.', '..'].includes(part))
}

export function assertInnerPath(path: string): void {
  if (isInnerPath(path)) return
  throw new HubError(
    'invalid',
    `"path": give a path relative to the root of the repository, such as "src/main.ts", without "." and "..".`,
  )
}

async function whyMissing(content: IndexedContent, path: string): Promise<string> {
  const name = basename(path)
  const others = /[*?[\]{}\\!]/.test(name) ? [] : await content.list(`**/${name}`, 3)
  const guess = others.length === 0 ? '' : ` Did you mean ${others.map((other) => `"${other}"`).join(' or ')}?`
  return `The index of "${content.repository.name}" has no file "${path}".${guess} Files that git ignores, binary files and very large ones are left out.`
}

/** Lines may be very long. */
function shortened(lines: FileLines): FileLines {
  if (lines.text.length <= mostCharacters) return lines
  const cut = lines.text.slice(0, mostCharacters)
  const whole = cut.slice(0, cut.lastIndexOf('\n') + 1) || cut
  return { ...lines, text: whole, end_line: lines.start_line + whole.replace(/\n$/, '').split('\n').length - 1 }
}

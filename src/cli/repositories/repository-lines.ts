/** How repositories, places in their files and citations are printed. */
import { relative } from 'node:path'
import type { IndexStatus, RepositoryView } from '../../api/repository.ts'
import type { Style } from '../terminal-output/printable.ts'
import { paint } from '../terminal-output/printable.ts'
import type { Cell, TableOptions } from '../terminal-output/table.ts'
import { renderTable } from '../terminal-output/table.ts'
import { visibleText } from '../terminal-output/visible-text.ts'

export function renderRepositories(repositories: readonly RepositoryView[], options: TableOptions): string {
  const rows = repositories.map(({ name, index, ref, host_path: path }): Cell[] => [
    name,
    { text: stateOf(index), style: styles[index.is] },
    String(index.files),
    ref ?? index.branch ?? '–',
    path,
  ])
  return renderTable([['name', 'index', 'files', 'follows', 'folder'], ...rows], options)
}

function stateOf({ is, progress, last_error: error, behind = 0, unread = [] }: IndexStatus): string {
  if (progress) return `${is}, ${progress.done} of ${progress.total}`
  if (error !== undefined) return `${is}: ${visibleText(error)}`
  const gaps = unread.length > 0 ? `, without ${unread.map(({ path }) => visibleText(path)).join(', ')}` : ''
  return `${is}${behind > 0 ? `, ${behind} behind` : ''}${gaps}`
}

const styles: Readonly<Record<IndexStatus['is'], Style>> = {
  empty: 'dim',
  indexing: 'cyan',
  ready: 'green',
  failed: 'red',
}

/**
 * `file:line`, which terminals and editors open. It is relative to the working directory, or absolute if the file is not
 * below it.
 */
export function placeOf(path: string, line: number, hasColours: boolean): string {
  const below = relative(process.cwd(), path)
  const place = `${visibleText(below.startsWith('..') ? path : below)}:${line}`
  return hasColours ? paint('cyan', place) : place
}

/** How far the index of a repository is, in words. */
import type { RepositoryView } from '../../src/api/repository.ts'
import { counted } from '../parts/amounts.ts'
import type { SessionState } from '../parts/session-state.ts'

type Index = RepositoryView['index']

export const number = (count: number) => count.toLocaleString('en-US')

export function markOf({ is, behind = 0, progress }: Index): SessionState {
  if (is === 'failed') return 'failed'
  if (is !== 'ready' || progress) return 'starting'
  return behind > 0 ? 'idle' : 'working'
}

/** For screen readers, where the mark stands alone. */
export function stateWordsOf(index: Index): string {
  const { is, behind = 0 } = index
  if (is === 'ready') return behind > 0 ? 'Behind' : 'Ready'
  return { failed: 'Failed', indexing: 'Indexing', empty: 'Waits for its index' }[is]
}

/** `Indexing 5,106 of 8,240 files` · `14 files behind` */
export function progressWordsOf({ is, progress, behind = 0 }: Index): string | undefined {
  if (progress) return `Indexing ${number(progress.done)} of ${number(progress.total)} files`
  if (is === 'indexing' || is === 'empty') return 'Indexing'
  return behind > 0 ? `${counted(behind, 'file')} behind` : undefined
}

export function unreadWordsOf({ unread = [] }: Index): string | undefined {
  if (unread.length === 0) return undefined
  return unread.map(({ path, reason }) => `${path} could not be read: ${reason}`).join(' ')
}

export function shortCommit(commit: string | undefined): string | undefined {
  return commit?.slice(0, 7)
}

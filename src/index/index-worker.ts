/** The worker that indexes, one repository at a time. It is a process of its own. */
import { getPriority, setPriority } from 'node:os'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { messageOf } from '../base/hub-error.ts'
import type { Reach } from '../base/start-program.ts'
import type { Asked } from '../base/worker-answers.ts'
import { answerEach } from '../base/worker-answers.ts'
import type { ProgramEnvironment } from '../config/config.ts'
import type { Embedded } from './dense/embed-chunks.ts'
import { embedChunks } from './dense/embed-chunks.ts'
import type { Embeddings } from './dense/embeddings.ts'
import { createGit } from '../base/careful-git.ts'
import { deleteIndex, isDamage, openIndexToWrite } from './index-file.ts'
import type { Meta } from './meta.ts'
import { readMeta, writeError } from './meta.ts'
import { openTree } from './files/open-tree.ts'
import { noRepositoryIn } from './no-repository.ts'
import { countChanges, refreshIndex } from './refresh.ts'
import type { IndexSource } from './source.ts'

export interface IndexQuestion {
  readonly wants: 'refresh' | 'changes' | 'vectors'
  readonly source: IndexSource
  /** The SQLite file. */
  readonly file: string
  readonly env: ProgramEnvironment
  readonly gitReach: Reach
  /** Readers found that the index is damaged. */
  readonly rebuild: boolean
  readonly embeddings: Embeddings | undefined
}

export interface IndexAnswer {
  readonly meta: Meta
  readonly wasDamaged: boolean
  readonly gitDirectories: readonly string[]
  /** The folders with indexed files, relative to the root. `undefined`: too many to watch. */
  readonly folders: readonly string[] | undefined
}

/** Linux allows a user some ten thousand watches, and other programs need theirs. */
const maxWatchedFolders = 8_000

/** The hub and its agents come first. A higher number would starve the indexer on a busy machine. */
const niceness = 5

// A hub may run with a higher number, and only root may lower one.
if (getPriority() < niceness) setPriority(niceness)

answerEach(async (question: IndexQuestion, asked: Asked): Promise<IndexAnswer | Embedded | number> => {
  if (question.rebuild) deleteIndex(question.file)
  try {
    return await answer(question, asked, question.rebuild)
  } catch (error) {
    // Wrong pages are found only when they are read.
    if (!isDamage(error) || question.rebuild) throw error
    deleteIndex(question.file)
    return answer(question, asked, true)
  }
})

async function answer(
  { wants, source, file, env, gitReach, embeddings }: IndexQuestion,
  { signal, note }: Asked,
  wasRebuilt: boolean,
): Promise<IndexAnswer | Embedded | number> {
  const { database, wasDamaged } = openIndexToWrite(file)
  try {
    if (wants === 'vectors') return await embedChunks(database, embeddings!, signal)
    const tree = await openTree(createGit(env, gitReach, signal), source, {
      noRepository: noRepositoryIn(dirname(file)),
      signal,
    })
    if (wants === 'changes') return await countChanges({ database, tree, signal })
    await refreshIndex({ database, tree, signal, onProgress: note })
    const { gitDirectories } = tree
    return {
      meta: readMeta(database),
      wasDamaged: wasDamaged || wasRebuilt,
      gitDirectories,
      folders: foldersOf(database),
    }
  } catch (error) {
    if (wants === 'refresh' && !signal.aborted && !isDamage(error)) writeError(database, messageOf(error))
    throw error
  } finally {
    database.close()
  }
}

function foldersOf(database: DatabaseSync): readonly string[] | undefined {
  const folders = new Set(['.'])
  for (const { path } of database.prepare('select path from file').iterate()) {
    for (let folder = dirname(String(path)); !folders.has(folder); folder = dirname(folder)) folders.add(folder)
    if (folders.size > maxWatchedFolders) return undefined
  }
  return [...folders]
}

/** Suggests a commit message: the last prompt in one line, or the names of the files, and then the list of files. */
import { basename } from 'node:path'
import type { ChangeStatus, FileChange } from '../api/changes.ts'

/** The usual limit for the first line of a commit. */
const longestSubject = 72
const mostListed = 20

export function suggestMessage(files: readonly FileChange[], prompt: string | undefined): string {
  const subject = subjectOf(prompt) ?? aboutFiles(files)
  if (files.length === 1) return subject
  const listed = files.slice(0, mostListed).map(({ path, status }) => `- ${verbs[status]} ${path}`)
  const more = files.length - mostListed
  return [subject, '', ...listed, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')
}

/** The first sentence, if it fits into a line. */
function subjectOf(prompt: string | undefined): string | undefined {
  const line = prompt?.split('\n').find((each) => each.trim() !== '')
  const sentence = line
    ?.trim()
    .split(/(?<=[.?!])\s/)[0]!
    .replace(/[.\s]+$/, '')
  if (sentence === undefined || sentence.length < 8 || sentence.endsWith('?')) return undefined
  if (sentence.length <= longestSubject) return sentence[0]!.toUpperCase() + sentence.slice(1)
  return undefined
}

const verbs: Readonly<Record<ChangeStatus, string>> = {
  added: 'Add',
  untracked: 'Add',
  modified: 'Change',
  deleted: 'Remove',
}

function aboutFiles(files: readonly FileChange[]): string {
  const [first] = files
  const more = files.length - 1
  const kinds = new Set(files.map(({ status }) => verbs[status]))
  const verb = kinds.size === 1 ? [...kinds][0]! : 'Change'
  return `${verb} ${basename(first!.path)}${more === 0 ? '' : more === 1 ? ' and 1 more file' : ` and ${more} more files`}`
}

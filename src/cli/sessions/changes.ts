/** Prints what changed in the workspace of a session. */
import { changesSchema, type Changes, type FileChange } from '../../api/changes.ts'
import { oneWord, toolCommand } from '../hub-client/tool-command.ts'
import { type Style, paint } from '../terminal-output/printable.ts'
import { visibleText } from '../terminal-output/visible-text.ts'

export const command = toolCommand({
  takes: '<session>',
  about: [
    'Prints what changed in the workspace of a session since its branch point, as a diff: committed or not, and new files.',
    '--stat lists the files only.',
  ].join('\n'),
  flags: {
    stat: { about: 'only the names of the files and how many lines changed' },
    path: { takes: 'PATH', about: 'only this file, relative to the workspace' },
  },
  words: oneWord,
  examples: [
    'signalbox changes fix-tests',
    'signalbox changes fix-tests --stat',
    'signalbox changes fix-tests --path src/a.ts',
  ],
  tool: 'read_changes',
  input: (args) => ({ session: args.words[0], path: args.text('path') }),
  answer: changesSchema,
  print(changes, { args, display }) {
    if (changes.reason !== undefined) return { err: [changes.reason] }
    if (changes.files.length === 0) return { err: ['Nothing has changed.'] }
    const hasColours = display?.hasColours === true
    const parts = changes.files.map((file) => (args.has('stat') ? statLine(file) : diffText(file, hasColours)))
    return { out: [...parts, totals(changes)].join('\n') }
  },
})

function statLine({ path, status, additions, deletions, omitted }: FileChange): string {
  const count = omitted === undefined || omitted === 'limit' ? `+${additions} -${deletions}` : omitted
  return `${status.padEnd(9)}  ${visibleText(path)}  ${count}`
}

function diffText(file: FileChange, hasColours: boolean): string {
  if (file.diff === undefined) return `${statLine(file)}\n`
  const lines = file.diff.split('\n').map((line) => {
    const text = visibleText(line.replaceAll('\t', '    '))
    const style = styleOf(line)
    return hasColours && style ? paint(style, text) : text
  })
  return `${lines.join('\n')}\n`
}

function styleOf(line: string): Style | undefined {
  if (line.startsWith('+++') || line.startsWith('---')) return 'bold'
  if (line.startsWith('+')) return 'green'
  if (line.startsWith('-')) return 'red'
  return line.startsWith('@@') ? 'cyan' : undefined
}

function totals({ files, more_files: more = 0, additions, deletions }: Changes): string {
  const count = files.length + more
  return `${count} ${count === 1 ? 'file' : 'files'} changed, +${additions} -${deletions}`
}

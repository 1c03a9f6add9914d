/** What an edit changes: both line numbers, sign and words. */
import { type Change, diffWordsWithSpace, structuredPatch } from 'diff'
import type { ReactNode } from 'react'
import { VisibleText } from './visible-text.tsx'

interface Line {
  readonly kind: 'same' | 'add' | 'del' | 'hunk'
  readonly before?: number
  readonly after?: number
  readonly content: ReactNode
}

/** A longer text is shown without its changes. */
const mostCharacters = 200_000
/** Beyond this, the words of a line are not compared. */
const longestLine = 2_000

export function Diff({ before, after }: { readonly before: string; readonly after: string }) {
  return <DiffTable lines={linesBetween(before, after)} />
}

function DiffTable({ lines }: { readonly lines: readonly Line[] }) {
  return (
    <div className="diff" tabIndex={0} role="region" aria-label="Diff">
      <table>
        <tbody>
          {lines.map(({ kind, before, after, content }, index) => (
            <tr key={index} className={kind === 'same' ? '' : kind}>
              <td className="ln">{before}</td>
              <td className="ln">{after}</td>
              <td className="sg">{kind === 'add' ? '+' : kind === 'del' ? '−' : ''}</td>
              <td>{content}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function linesBetween(before: string, after: string): readonly Line[] {
  if (before.length + after.length > mostCharacters) {
    return [{ kind: 'hunk', content: 'This edit is too long to compare.' }]
  }
  const { hunks } = structuredPatch('', '', before, after, undefined, undefined, { context: 3 })
  return hunks.flatMap(({ oldStart, newStart, lines }) => {
    let [old, next] = [oldStart, newStart]
    const texts = lines.filter((line) => !line.startsWith('\\'))
    return texts.map((line, index): Line => {
      const text = line.slice(1)
      if (line.startsWith('+'))
        return { kind: 'add', after: next++, content: words(pairOf(texts, index), text, 'added') }
      if (line.startsWith('-'))
        return { kind: 'del', before: old++, content: words(pairOf(texts, index), text, 'removed') }
      return { kind: 'same', before: old++, after: next++, content: <VisibleText text={text} /> }
    })
  })
}

/** The line that a single changed line replaces, or is replaced by. */
function pairOf(lines: readonly string[], index: number): string | undefined {
  const sign = lines[index]![0]
  const other = lines[sign === '+' ? index - 1 : index + 1]
  const isSingle = lines[sign === '+' ? index + 1 : index - 1]?.[0] !== sign
  return isSingle && other?.[0] === (sign === '+' ? '-' : '+') ? other.slice(1) : undefined
}

function words(other: string | undefined, text: string, kind: 'added' | 'removed'): ReactNode {
  if (other === undefined || text.length + other.length > longestLine) return <VisibleText text={text} />
  const changes = kind === 'added' ? diffWordsWithSpace(other, text) : diffWordsWithSpace(text, other)
  const Tag = kind === 'added' ? 'ins' : 'del'
  const isShown = (change: Change) => (kind === 'added' ? !change.removed : !change.added)
  return changes.filter(isShown).map((change, index) =>
    change.added || change.removed ? (
      <Tag key={index}>
        <VisibleText text={change.value} />
      </Tag>
    ) : (
      <VisibleText key={index} text={change.value} />
    ),
  )
}

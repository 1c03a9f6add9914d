/** The lines that an edit changes, in one column or side by side: line numbers, sign and words. */
import { type Change, diffWordsWithSpace } from 'diff'
import { type ReactNode, useMemo } from 'react'
import { type DiffLine, linesBetween, linesOfPatch } from './diff-lines.ts'
import { VisibleText } from './visible-text.tsx'

export function Diff({ before, after }: { readonly before: string; readonly after: string }) {
  return <UnifiedDiff lines={useMemo(() => linesBetween(before, after), [before, after])} />
}

export function PatchDiff({ patch, beside = false }: { readonly patch: string; readonly beside?: boolean }) {
  const lines = useMemo(() => linesOfPatch(patch), [patch])
  return beside ? <DiffBeside lines={lines} /> : <UnifiedDiff lines={lines} />
}

function UnifiedDiff({ lines }: { readonly lines: readonly DiffLine[] }) {
  return (
    <div className="diff" tabIndex={0} role="group" aria-label="Diff">
      <table>
        <tbody>
          {lines.map((line, index) => (
            <tr key={index} className={line.kind === 'same' ? '' : line.kind}>
              <td className="ln">{line.before}</td>
              <td className="ln">{line.after}</td>
              <td className="sg">{signOf(line)}</td>
              <td>
                <LineText line={line} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function DiffBeside({ lines }: { readonly lines: readonly DiffLine[] }) {
  return (
    <div className="diff beside" tabIndex={0} role="group" aria-label="Diff, side by side">
      <table>
        <colgroup>
          <col className="ln" />
          <col />
          <col className="ln" />
          <col />
        </colgroup>
        <tbody>
          {rowsBeside(lines).map(([left, right], index) =>
            left?.kind === 'hunk' ? (
              <tr key={index} className="hunk">
                <td className="ln" />
                <td colSpan={3}>{left.text}</td>
              </tr>
            ) : (
              <tr key={index}>
                <Half line={left} number={left?.before} />
                <Half line={right} number={right?.after} />
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  )
}

function Half({ line, number }: { readonly line: DiffLine | undefined; readonly number: number | undefined }) {
  const tint = line === undefined ? 'none' : line.kind === 'same' ? '' : line.kind
  return (
    <>
      <td className={`ln ${tint}`}>{number}</td>
      <td className={`half ${tint}`}>{line && <LineText line={line} />}</td>
    </>
  )
}

type RowBeside = readonly [left: DiffLine | undefined, right: DiffLine | undefined]

/** Removed lines stand beside the added lines that follow them. */
function rowsBeside(lines: readonly DiffLine[]): readonly RowBeside[] {
  const rows: RowBeside[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at]!
    if (line.kind === 'same' || line.kind === 'hunk') {
      rows.push([line, line])
      at++
      continue
    }
    const removed = lines.slice(at).findIndex(({ kind }) => kind !== 'del')
    const left = removed < 0 ? lines.slice(at) : lines.slice(at, at + removed)
    const rest = lines.slice(at + left.length)
    const added = rest.findIndex(({ kind }) => kind !== 'add')
    const right = added < 0 ? rest : rest.slice(0, added)
    for (let each = 0; each < Math.max(left.length, right.length); each++) rows.push([left[each], right[each]])
    at += left.length + right.length
  }
  return rows
}

function signOf({ kind }: DiffLine): string {
  return kind === 'add' ? '+' : kind === 'del' ? '−' : ''
}

function LineText({ line }: { readonly line: DiffLine }): ReactNode {
  const { kind, text, other } = line
  if (kind === 'hunk' || kind === 'same') return <VisibleText text={text} />
  if (other === undefined) return <Whitespace text={text} />
  const isAdded = kind === 'add'
  const changes = isAdded ? diffWordsWithSpace(other, text) : diffWordsWithSpace(text, other)
  const Tag = isAdded ? 'ins' : 'del'
  const isShown = (change: Change) => (isAdded ? !change.removed : !change.added)
  return changes.filter(isShown).map((change, index, shown) => {
    const words = <Whitespace text={change.value} isEnd={index === shown.length - 1} />
    return change.added || change.removed ? <Tag key={index}>{words}</Tag> : <span key={index}>{words}</span>
  })
}

/** Tabs, and spaces at the end of a line, are marked and stay what they are when they are copied. */
function Whitespace({ text, isEnd = true }: { readonly text: string; readonly isEnd?: boolean }) {
  const end = isEnd ? (/[ \t]+$/.exec(text)?.[0] ?? '') : ''
  const parts = text.slice(0, text.length - end.length).split('\t')
  return (
    <>
      {parts.map((part, index) => (
        <span key={index}>
          {index > 0 && <span className="ws tab">{'\t'}</span>}
          <VisibleText text={part} />
        </span>
      ))}
      {end !== '' && <span className="ws end">{end}</span>}
    </>
  )
}

/** A file of a repository as it was indexed, at the lines that were cited or found. */
import { useEffect, useRef, useState } from 'react'
import { useHub } from '../hub/hub-context.tsx'
import { counted } from '../parts/amounts.ts'
import { Icon } from '../parts/icons.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { CodeLine } from './code.tsx'
import { type Place, linesOf, samePlace } from './place.ts'

/** Before and after the place. */
const contextLines = 400

interface FileLines {
  readonly start_line: number
  readonly end_line: number
  readonly total_lines: number
  readonly text: string
}

export interface FileViewProps {
  readonly repository: string
  readonly place: Place
  readonly places: readonly Place[]
  onOpen(place: Place): void
  onClose(): void
}

export function FileView({ repository, place, places, onOpen, onClose }: FileViewProps) {
  const { file, why } = useFile(repository, place)
  const source = useRef<HTMLDivElement>(null)
  const { path, start, end } = place
  const at = places.findIndex((each) => samePlace(each, place))
  const step = (by: 1 | -1) => places[at + by]
  const [previous, next] = at < 0 ? [undefined, places[0]] : [step(-1), step(1)]
  useEffect(() => {
    source.current?.querySelector('.hit')?.scrollIntoView({ block: 'center' })
    if (end < start) source.current?.scrollTo({ top: 0 })
  }, [file, start, end, path])
  return (
    <aside className="fv" aria-label="Cited file">
      <header className="row fv-h">
        <Icon name="file" size={14} />
        <code className="cut" title={path}>
          <VisibleText text={path} />
        </code>
        {end >= start && <span className="chip info">{linesOf(place)}</span>}
        <span className="grow" />
        <button
          className="icon-btn sm"
          aria-label="Previous citation"
          disabled={!previous}
          onClick={() => previous && onOpen(previous)}
        >
          <Icon name="up" size={14} />
        </button>
        <button
          className="icon-btn sm"
          aria-label="Next citation"
          disabled={!next}
          onClick={() => next && onOpen(next)}
        >
          <Icon name="down" size={14} />
        </button>
        <button className="icon-btn sm" aria-label="Close the file" onClick={onClose}>
          <Icon name="close" size={14} />
        </button>
      </header>
      <div className="scroll fv-c" tabIndex={0} role="region" aria-label="Source" ref={source}>
        {why !== undefined && (
          <p className="stop px-4" role="alert">
            {why}
          </p>
        )}
        {file && (
          <table>
            <tbody>
              {linesIn(file).map((line, index) => {
                const number = file.start_line + index
                const isHit = number >= start && number <= end
                return (
                  <tr key={number} className={isHit ? 'hit' : ''}>
                    <td className="ln">{number}</td>
                    <td>
                      <CodeLine path={path} line={line} />
                    </td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        )}
        {file && file.end_line < file.total_lines && (
          <p className="t3 s12 px-4">The file has {counted(file.total_lines, 'line')}.</p>
        )}
      </div>
    </aside>
  )
}

function linesIn({ text }: FileLines): readonly string[] {
  return text.replace(/\n$/, '').split('\n')
}

function useFile(repository: string, { path, start, end }: Place) {
  const { call } = useHub()
  const [read, setRead] = useState<{ readonly file?: FileLines; readonly why?: string }>({})
  useEffect(() => {
    const left = new AbortController()
    const isWhole = end < start
    const args = {
      repository,
      path,
      start: Math.max(1, start - contextLines),
      ...(!isWhole && { end: end + contextLines }),
    }
    call<FileLines>('read_repository', args, left.signal)
      .then((file) => setRead({ file }))
      .catch((error: unknown) => {
        if (!left.signal.aborted) setRead({ why: error instanceof Error ? error.message : String(error) })
      })
    return () => left.abort()
  }, [call, repository, path, start, end])
  return read
}

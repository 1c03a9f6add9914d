/** Searches a repository by words, by the name of a definition, or by a regular expression. */
import { type SyntheticEvent, useState } from 'react'
import { type Hit, type SearchMode, searchModes } from '../../src/api/repository.ts'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { counted } from '../parts/amounts.ts'
import { Icon } from '../parts/icons.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import type { PaneProps } from './ask-pane.tsx'
import { Code } from './code.tsx'
import { linesOf, samePlace } from './place.ts'

const modeWords: Readonly<Record<SearchMode, string>> = { lexical: 'Words', symbol: 'Symbol', regex: 'Regex' }
const mostHits = 40
/** How many lines of a match are shown. The file view shows the rest. */
const shownLines = 6

interface Found {
  readonly hits: readonly Hit[]
  readonly query: string
}

const placeOf = ({ path, start_line: start, end_line: end }: Hit) => ({ path, start, end })

export function SearchPane({ repository, open, onOpen, onPlaces }: PaneProps) {
  const { call } = useHub()
  const isLost = useIsLost()
  const [query, setQuery] = useState('')
  const [path, setPath] = useState('')
  const [mode, setMode] = useState<SearchMode>('lexical')
  const [found, setFound] = useState<Found>()
  const [why, setWhy] = useState<string>()
  const [isSearching, setIsSearching] = useState(false)

  async function search(inMode = mode): Promise<void> {
    if (query.trim() === '' || isLost) return
    setIsSearching(true)
    setWhy(undefined)
    const args = { repository: repository.name, query, mode: inMode, limit: mostHits, ...(path !== '' && { path }) }
    try {
      const { hits } = await call<{ hits: readonly Hit[] }>('search_repository', args)
      setFound({ hits, query })
      onPlaces(hits.map(placeOf))
    } catch (error) {
      setWhy(error instanceof Error ? error.message : String(error))
    } finally {
      setIsSearching(false)
    }
  }
  function onSubmit(event: SyntheticEvent): void {
    event.preventDefault()
    void search()
  }
  function choose(next: SearchMode): void {
    setMode(next)
    void search(next)
  }
  return (
    <div className="pane rep-l">
      <form className="rep-search" onSubmit={onSubmit} role="search">
        <span className="input">
          <Icon name="search" size={14} />
          <input
            type="search"
            aria-label={`Search ${repository.name}`}
            placeholder={`Search ${repository.name}`}
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
        </span>
        <span className="input rep-glob">
          <input
            aria-label="Only in paths"
            className="mono"
            placeholder="src/**/*.ts"
            value={path}
            onChange={(event) => setPath(event.target.value.trim())}
          />
        </span>
        <span className="seg sm" role="group" aria-label="Search by">
          {searchModes.map((each) => (
            <button type="button" key={each} aria-pressed={each === mode} onClick={() => choose(each)}>
              {modeWords[each]}
            </button>
          ))}
        </span>
        <button className="btn primary" disabled={isLost || query.trim() === ''}>
          Search
        </button>
      </form>
      <div className="scroll" tabIndex={0} role="region" aria-label="Matches" aria-busy={isSearching}>
        {why !== undefined && (
          <p className="stop p-6" role="alert">
            {why}
          </p>
        )}
        <p className="s12 t3 rep-count" role="status">
          {isSearching
            ? 'Searching'
            : found && `${found.hits.length === 0 ? 'Nothing' : count(found.hits.length)} found for “${found.query}”`}
        </p>
        <ol>
          {found?.hits.map((hit, index) => (
            <HitItem key={index} hit={hit} isOpen={samePlace(open, placeOf(hit))} onOpen={onOpen} />
          ))}
        </ol>
      </div>
    </div>
  )
}

function count(hits: number): string {
  return hits === mostHits ? `The best ${hits} matches` : counted(hits, 'match', 'matches')
}

interface HitProps extends Pick<PaneProps, 'onOpen'> {
  readonly hit: Hit
  readonly isOpen: boolean
}

function HitItem({ hit, isOpen, onOpen }: HitProps) {
  const { path, symbol, kind, text } = hit
  const place = placeOf(hit)
  const lines = text.split('\n').slice(0, shownLines)
  return (
    <li>
      <button className="hit-item" data-item aria-pressed={isOpen} onClick={() => onOpen(place)}>
        <span className="row">
          <code className="w5 cut">
            <VisibleText text={path} />
          </code>
          <span className="chip info">{linesOf(place)}</span>
          <span className="grow" />
          {symbol !== undefined && (
            <span className="s12 t3 cut">
              {kind} <code>{symbol}</code>
            </span>
          )}
        </span>
        <span className="hit-code">
          <Code path={path} lines={lines} />
        </span>
      </button>
    </li>
  )
}

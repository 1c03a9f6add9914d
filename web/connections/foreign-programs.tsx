/** The programs on the hub's machine that have MCP servers of their own. */
import { useEffect, useState } from 'react'
import { useHub } from '../hub/hub-context.tsx'
import { counted } from '../parts/amounts.ts'
import type { ImportPlan } from './import-preview.tsx'

const programs: readonly (readonly [string, string])[] = [
  ['claude', 'Claude Code'],
  ['claude-desktop', 'Claude Desktop'],
  ['codex', 'Codex'],
  ['gemini', 'Gemini CLI'],
  ['vscode', 'VS Code'],
  ['cursor', 'Cursor'],
  ['opencode', 'opencode'],
]

type Found = { readonly is: 'found'; readonly files: readonly string[]; readonly news: number }
type Look = Found | { readonly is: 'none' } | { readonly is: 'failed'; readonly why: string }

export interface ForeignProgramsProps {
  readonly chosen: string | undefined
  onChoose(program: string): void
}

export function ForeignPrograms({ chosen, onChoose }: ForeignProgramsProps) {
  const { call } = useHub()
  const [looks, setLooks] = useState<Readonly<Record<string, Look>>>({})
  useEffect(() => {
    const stop = new AbortController()
    for (const [from] of programs) {
      void call<ImportPlan & { readonly files?: readonly string[] }>('import_connectors', { from }, stop.signal)
        .then(({ add, change, files = [] }): Look => ({ is: 'found', files, news: add.length + change.length }))
        .catch((error: unknown): Look => {
          const why = error instanceof Error ? error.message : String(error)
          return why.startsWith('There is no file') ? { is: 'none' } : { is: 'failed', why }
        })
        .then((look) => stop.signal.aborted || setLooks((before) => ({ ...before, [from]: look })))
    }
    return () => stop.abort()
  }, [call])
  const there = programs.filter(([from]) => looks[from] && looks[from].is !== 'none')
  const isReady = Object.keys(looks).length === programs.length
  return (
    <fieldset className="field imp-p">
      <legend className="lab">Programs with MCP servers</legend>
      {isReady && there.length === 0 && (
        <p className="t3 s12">There are no files of {programs.map(([, title]) => title).join(', ')}.</p>
      )}
      {there.map(([from, title]) => (
        <label key={from} className={chosen === from ? 'imp-o on' : 'imp-o'}>
          <input
            type="radio"
            name="program"
            checked={chosen === from}
            disabled={looks[from]?.is !== 'found'}
            onChange={() => onChoose(from)}
          />
          <span className="w6">{title}</span>
          <Words look={looks[from]} />
        </label>
      ))}
    </fieldset>
  )
}

function Words({ look }: { readonly look: Look | undefined }) {
  if (look?.is === 'failed') return <span className="s12 stop">{look.why}</span>
  if (look?.is !== 'found') return null
  return (
    <span className="s12 t3">
      {look.news === 0 ? 'nothing new' : counted(look.news, 'new server')}
      {look.files.map((file) => (
        <code key={file} className="blk cut">
          {file}
        </code>
      ))}
    </span>
  )
}

/** The dialog that takes over MCP servers from a pasted text or from the files of other programs, after a preview. */
import { type KeyboardEvent, useEffect, useState } from 'react'
import type { ConnectorView } from '../../src/api/connector.ts'
import { commandKey } from '../app/keys.ts'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { Check } from '../parts/check.tsx'
import { Keys } from '../parts/keys-hint.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { ForeignPrograms } from './foreign-programs.tsx'
import { type ImportPlan, ImportPreview } from './import-preview.tsx'

export interface ImportDialogProps {
  readonly known: readonly ConnectorView[]
  onClose(): void
  /** Called with the name of the first connector that was imported. */
  onImported(name: string | undefined): void
}

type Source = { readonly text: string } | { readonly from: string }

/** The pause after the last key, so that not every letter causes a call. */
const quietMs = 300

export function ImportDialog({ known, onClose, onImported }: ImportDialogProps) {
  const { call } = useHub()
  const isLost = useIsLost()
  const [way, setWay] = useState<'paste' | 'files'>('paste')
  const [text, setText] = useState('')
  const [program, setProgram] = useState<string>()
  const [isReplacing, setIsReplacing] = useState(false)
  const [plan, setPlan] = useState<ImportPlan>()
  const [failure, setFailure] = useState<string>()
  const [isImporting, setIsImporting] = useState(false)
  const source = sourceOf(way, text, program)
  const key = source && JSON.stringify({ ...source, isReplacing })

  useEffect(() => {
    setPlan(undefined)
    setFailure(undefined)
    if (!source) return undefined
    const stop = new AbortController()
    const timer = setTimeout(() => {
      call<ImportPlan>('import_connectors', { ...source, replace: isReplacing }, stop.signal)
        .then(setPlan)
        .catch((error: unknown) => stop.signal.aborted || setFailure(wordsOf(error)))
    }, quietMs)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
    // The key covers everything that the call depends on.
  }, [call, key])

  const count = plan ? plan.add.length + plan.change.length + plan.remove.length : 0
  async function apply(): Promise<void> {
    if (!source || !plan || count === 0 || isImporting || isLost) return
    setIsImporting(true)
    try {
      const done = await call<ImportPlan>('import_connectors', { ...source, replace: isReplacing, dry_run: false })
      onImported([...done.add, ...done.change][0]?.name)
    } catch (error) {
      setFailure(wordsOf(error))
      setIsImporting(false)
    }
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) void apply()
  }
  return (
    <Sheet title="Import" className="imp" onClose={onClose}>
      <div className="imp-way seg sm" role="group" aria-label="From where" onKeyDown={onKeyDown}>
        <button aria-pressed={way === 'paste'} onClick={() => setWay('paste')}>
          Paste
        </button>
        <button aria-pressed={way === 'files'} onClick={() => setWay('files')}>
          From the hub’s machine
        </button>
      </div>
      <div className="imp-b" onKeyDown={onKeyDown}>
        {way === 'paste' ? (
          <div className="field imp-t">
            <label htmlFor="imp-t">A command line, JSON or TOML from any client</label>
            <span className="area">
              <textarea
                id="imp-t"
                className="mono"
                rows={10}
                spellCheck={false}
                autoFocus
                placeholder={'claude mcp add files -- npx -y files-mcp /srv\n\n{ "mcpServers": { … } }'}
                value={text}
                onChange={(event) => setText(event.target.value)}
              />
            </span>
          </div>
        ) : (
          <ForeignPrograms chosen={program} onChoose={setProgram} />
        )}
        <div className="imp-r">
          <span className="lab">What will happen</span>
          <ImportPreview plan={plan} failure={failure} known={known} isAsked={source !== undefined} />
        </div>
      </div>
      <footer className="row imp-f">
        <Check checked={isReplacing} onChange={setIsReplacing}>
          <span className="s12 t2">Change those of the same name</span>
        </Check>
        <span className="grow" />
        <button className="btn lg" onClick={onClose}>
          Cancel<kbd aria-hidden="true">esc</kbd>
        </button>
        <button className="btn lg primary" disabled={isLost || isImporting || count === 0} onClick={() => void apply()}>
          Import {count > 0 && count} <Keys keys={[commandKey, '↵']} />
        </button>
      </footer>
    </Sheet>
  )
}

function sourceOf(way: 'paste' | 'files', text: string, program: string | undefined): Source | undefined {
  if (way === 'paste') return text.trim() === '' ? undefined : { text }
  return program === undefined ? undefined : { from: program }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Edits a template as JSON. It is checked while one types, and saved only if it is valid. */
import { useDeferredValue, useMemo, useState } from 'react'
import { showToast } from '../app/toasts.tsx'
import { Editor } from '../editor/editor.tsx'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { DecisionMark } from '../parts/marks.tsx'
import { checkTemplate } from './template-notes.ts'
import type { ListedTemplate } from './template-text.ts'
import { TemplatePreview } from './template-preview.tsx'

export interface TemplateEditorProps {
  /** `undefined`: a new one. */
  readonly template: ListedTemplate | undefined
  readonly saved: string
  onSaved(name: string): void
}

export function TemplateEditor({ template, saved, onSaved }: TemplateEditorProps) {
  const { call } = useHub()
  const isLost = useIsLost()
  const [edited, setEdited] = useState<string>()
  const [why, setWhy] = useState<string>()
  const [isDeleting, setIsDeleting] = useState(false)
  // Without changes, the editor follows the file.
  const text = edited ?? saved
  const checkedText = useDeferredValue(text)
  const checked = useMemo(() => checkTemplate(checkedText), [checkedText])
  const notes = checked.is === 'invalid' ? checked.notes : none
  const isChanged = text !== saved || template === undefined
  const isOwn = template !== undefined && template.source !== 'shipped'

  function edit(next: string): void {
    setEdited(next)
    setWhy(undefined)
  }
  async function save(): Promise<void> {
    const now = checkTemplate(text)
    if (now.is === 'invalid') return
    try {
      await call('save_template', { payload: now.payload })
      setEdited(undefined)
      showToast('allow', `Saved ${now.template.name}.`)
      onSaved(now.template.name)
    } catch (error) {
      setWhy(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <div className="tp-r pane">
      <header className="row tp-h">
        <code className="w5 cut">{template ? `${template.name}.json` : 'new.json'}</code>
        {notes.length > 0 ? (
          <span className="chip stop" role="status">
            <DecisionMark name="abort" size={10} />
            {notes.length === 1 ? '1 error' : `${notes.length} errors`}
          </span>
        ) : (
          isChanged && <span className="chip">not saved</span>
        )}
        <span className="grow" />
        {isOwn && (
          <button className="btn ghost danger" disabled={isLost} onClick={() => setIsDeleting(true)}>
            Delete…
          </button>
        )}
        {edited !== undefined && (
          <button className="btn ghost" onClick={() => setEdited(undefined)}>
            Undo changes
          </button>
        )}
        <button className="btn primary" disabled={isLost || !isChanged || notes.length > 0} onClick={() => void save()}>
          {template?.source === 'shipped' ? 'Save as yours' : 'Save'}
        </button>
      </header>
      {why !== undefined && (
        <p className="stop tp-why" role="alert">
          {why}
        </p>
      )}
      <Editor
        language="json"
        label="Template source"
        value={text}
        onChange={edit}
        notes={notes}
        {...(template && { saved })}
      />
      {checked.is === 'valid' && <TemplatePreview template={checked.template} listed={template} />}
      {isDeleting && template && (
        <Confirm
          title={`Delete ${template.name}`}
          text="Its file and the files that were copied to it are deleted. Running sessions continue. A shipped template of the same name is used again."
          action="Delete"
          onConfirm={() => call('delete_template', { name: template.name })}
          onClose={() => setIsDeleting(false)}
        />
      )}
    </div>
  )
}

const none: readonly never[] = []

/** Templates: how each kind of session is started. Yours are edited, shipped ones are copied on the first change. */
import { useState } from 'react'
import { useLive } from '../hub/hub-context.tsx'
import { Icon } from '../parts/icons.tsx'
import { DecisionMark, StateMark } from '../parts/marks.tsx'
import { TemplateEditor } from './template-editor.tsx'
import { type ListedTemplate, newTemplateText, textOf } from './template-text.ts'

interface Templates {
  readonly templates: readonly ListedTemplate[]
  readonly broken: readonly { readonly path: string; readonly line?: number; readonly reason: string }[]
}

export function TemplateSettings() {
  const { value, refused } = useLive('all-templates', ({ call }) => ({
    uris: ['resource://templates'],
    read: (signal) => call<Templates>('list_templates', { hidden: true }, signal),
  }))
  /** A name, or `undefined` for a new one. */
  const [chosen, setChosen] = useState<string | undefined>()
  const [isNew, setIsNew] = useState(false)
  const templates = value?.templates ?? []
  const shown = isNew ? undefined : (templates.find(({ name }) => name === chosen) ?? templates[0])
  function choose(name: string): void {
    setChosen(name)
    setIsNew(false)
  }
  return (
    <div className="pane detail tp">
      <div className="tp-l scroll" tabIndex={0} role="region" aria-label="List of templates">
        <div className="row set-h">
          <h2>Templates</h2>
          <span className="grow" />
          <button className="btn" onClick={() => setIsNew(true)}>
            <Icon name="plus" size={14} />
            New
          </button>
        </div>
        {refused !== undefined && <p className="stop px-4">{refused}</p>}
        <ul>
          {templates.map((template) => (
            <TemplateItem
              key={template.name}
              template={template}
              isChosen={template === shown}
              onChoose={() => choose(template.name)}
            />
          ))}
          {value?.broken.map(({ path, line, reason }) => (
            <li key={path} className="list-row">
              <StateMark state="failed" size={12} label="Broken" />
              <span className="q-main">
                <span className="w6 cut blk">{path.slice(path.lastIndexOf('/') + 1)}</span>
                <span className="s12 stop blk">
                  {line !== undefined && `Line ${line}: `}
                  {reason}
                </span>
              </span>
            </li>
          ))}
        </ul>
      </div>
      <label className="tp-choose phone-only">
        <span className="sr">Template</span>
        <span className="input">
          <select
            value={shown?.name ?? ''}
            onChange={({ target }) => (target.value === '' ? setIsNew(true) : choose(target.value))}
          >
            {templates.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
            <option value="">New…</option>
          </select>
        </span>
      </label>
      {(shown ?? isNew) && (
        <TemplateEditor
          key={shown?.name ?? ''}
          template={shown}
          saved={shown ? textOf(shown) : newTemplateText}
          onSaved={choose}
        />
      )}
    </div>
  )
}

interface ItemProps {
  readonly template: ListedTemplate
  readonly isChosen: boolean
  onChoose(): void
}

function TemplateItem({ template, isChosen, onChoose }: ItemProps) {
  const { name, available, source, hidden } = template
  return (
    <li>
      <button className="list-row" data-item aria-pressed={isChosen} onClick={onChoose}>
        <DecisionMark
          name={available ? 'running' : 'idle'}
          size={12}
          label={available ? 'Available' : 'Not available'}
        />
        <span className="q-main">
          <span className="row">
            <span className="w6 cut">{name}</span>
            <span className="grow" />
            {!available && <span className="s12 t3">not installed</span>}
          </span>
          <span className="s12 t3 blk">
            {source === 'shipped' ? 'shipped' : 'yours'}
            {hidden && ', hidden'}
          </span>
        </span>
      </button>
    </li>
  )
}

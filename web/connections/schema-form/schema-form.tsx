/** The fields of a tool, with errors in place. */
import { Icon } from '../../parts/icons.tsx'
import { DecisionMark } from '../../parts/marks.tsx'
import { type Draft, draftOf } from './draft.ts'
import type { Field, FieldKind } from './field.ts'

export interface SchemaFormProps {
  readonly fields: readonly Field[]
  readonly parts: Readonly<Record<string, Draft>>
  /** The errors that are shown, by the path of the field. */
  readonly errors: Readonly<Record<string, string>>
  onChange(parts: Readonly<Record<string, Draft>>): void
  /** Called when the person leaves a field. */
  onLeave(path: string): void
  /** Put before the ids and the paths of these fields. */
  readonly prefix?: string
}

export function SchemaForm({ fields, parts, errors, onChange, onLeave, prefix = '' }: SchemaFormProps) {
  return (
    <div className="try-fields">
      {fields.map((field) => (
        <FieldView
          key={field.name}
          field={field}
          path={prefix + field.name}
          draft={parts[field.name] ?? draftOf(field)}
          errors={errors}
          onChange={(draft) => onChange({ ...parts, [field.name]: draft })}
          onLeave={onLeave}
        />
      ))}
    </div>
  )
}

interface FieldProps {
  readonly field: Field
  readonly path: string
  readonly draft: Draft
  readonly errors: SchemaFormProps['errors']
  onChange(draft: Draft): void
  onLeave(path: string): void
}

function FieldView(props: FieldProps) {
  const { field, path, draft, errors, onChange, onLeave } = props
  const { kind, name, description } = field
  const id = `try-${path}`
  if (draft.is === 'rows' && kind.is === 'rows') return <Rows {...props} rows={draft.rows} item={kind.item} />
  if (draft.is === 'group' && kind.is === 'group') {
    return (
      <fieldset className="field wide group">
        <legend className="lab">
          {name} <Note field={field} />
        </legend>
        <SchemaForm
          fields={kind.fields}
          parts={draft.parts}
          errors={errors}
          prefix={`${path}.`}
          onChange={(parts) => onChange({ is: 'group', parts })}
          onLeave={onLeave}
        />
      </fieldset>
    )
  }
  return (
    <div className={isWide(kind, field) ? 'field wide' : 'field'}>
      <label htmlFor={id} title={description}>
        {name} <Note field={field} />
      </label>
      <Input {...props} id={id} label={undefined} />
      <FieldError path={path} errors={errors} />
    </div>
  )
}

/** Required, or the type; then the limits. */
function Note({ field: { isRequired, note, kind } }: { readonly field: Field }) {
  if (!isRequired) return <span className="t3">{note}</span>
  const limits = kind.is === 'rows' ? note : note.split(', ').slice(1).join(', ')
  return (
    <>
      <span className="req">required</span> {limits !== '' && <span className="t3">{limits}</span>}
      {limits === '' && kind.is !== 'text' && <span className="t3">{note}</span>}
    </>
  )
}

function FieldError({ path, errors }: { readonly path: string; readonly errors: FieldProps['errors'] }) {
  const error = errors[path]
  if (error === undefined) return null
  return (
    <span className="err" id={`try-${path}-error`}>
      <DecisionMark name="abort" size={12} />
      {error}
    </span>
  )
}

interface InputProps extends FieldProps {
  readonly id: string
  /** The name of the input, if no label element names it. */
  readonly label: string | undefined
}

function Input({ field, path, draft, errors, onChange, onLeave, id, label }: InputProps) {
  const { kind, schema, isRequired } = field
  const isWrong = errors[path] !== undefined
  const named = {
    id,
    'aria-label': label,
    'aria-required': isRequired || undefined,
    ...(isWrong && { 'aria-invalid': true, 'aria-describedby': `${id}-error` }),
  }
  const box = isWrong ? ' bad' : ''
  const onBlur = () => onLeave(path)
  const onText = (text: string) => onChange({ is: 'text', text })
  if (draft.is === 'switch') {
    return (
      <span className="row switch-row">
        <button
          {...named}
          type="button"
          className="switch"
          role="switch"
          aria-checked={draft.on === true}
          onClick={() => onChange({ is: 'switch', on: draft.on !== true })}
        />
        <code>{draft.on === undefined ? 'not given' : String(draft.on)}</code>
      </span>
    )
  }
  const text = draft.is === 'text' ? draft.text : ''
  if (kind.is === 'choice') {
    return (
      <span className={`input sel${box}`}>
        <select {...named} value={text} onChange={(event) => onText(event.target.value)} onBlur={onBlur}>
          <option value="">{isRequired ? 'Choose…' : 'not given'}</option>
          {kind.choices.map((choice, index) => (
            <option key={index} value={index}>
              {typeof choice === 'string' ? choice : JSON.stringify(choice)}
            </option>
          ))}
        </select>
        <Icon name="down" size={12} />
      </span>
    )
  }
  const hint = placeholderOf(schema) ?? (label === undefined ? undefined : field.name)
  if (kind.is === 'json' || (kind.is === 'text' && kind.isLong)) {
    return (
      <span className={`area${box}`}>
        <textarea
          {...named}
          className={kind.is === 'json' ? 'mono long' : 'long'}
          rows={3}
          spellCheck={kind.is === 'text'}
          placeholder={hint}
          value={text}
          onChange={(event) => onText(event.target.value)}
          onBlur={onBlur}
        />
      </span>
    )
  }
  return (
    <span className={`input${box}`}>
      <input
        {...named}
        className="mono"
        spellCheck={false}
        autoComplete="off"
        inputMode={kind.is === 'number' ? 'decimal' : undefined}
        placeholder={hint}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onBlur={onBlur}
      />
    </span>
  )
}

function placeholderOf({ examples }: Field['schema']): string | undefined {
  const first = Array.isArray(examples) ? (examples[0] as unknown) : undefined
  return typeof first === 'string' || typeof first === 'number' ? String(first) : undefined
}

interface RowsProps extends FieldProps {
  readonly rows: readonly Draft[]
  readonly item: Field
}

function Rows({ field, path, errors, onChange, onLeave, rows, item }: RowsProps) {
  const change = (next: readonly Draft[]) => onChange({ is: 'rows', rows: next })
  return (
    <fieldset className="field wide arr">
      <legend className="lab" title={field.description}>
        {field.name} <Note field={field} />
      </legend>
      {rows.map((row, index) => (
        <div key={index} className={isStacked(item.kind) ? 'arr-row stacked' : 'arr-row'}>
          <span className="num t3 s12">{index + 1}</span>
          <Row
            field={item}
            path={`${path}.${index}`}
            draft={row}
            errors={errors}
            label={`${field.name} ${index + 1}`}
            onChange={(next) => change(rows.with(index, next))}
            onLeave={onLeave}
          />
          <button
            type="button"
            className="icon-btn sm"
            aria-label={`Remove ${item.name} ${index + 1}`}
            onClick={() => change(rows.toSpliced(index, 1))}
          >
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
      {!isStacked(item.kind) &&
        rows.map((_, index) => <RowErrors key={index} at={`${path}.${index}`} errors={errors} />)}
      <FieldError path={path} errors={errors} />
      <button type="button" className="btn ghost add-btn" onClick={() => change([...rows, draftOf(item)])}>
        <Icon name="plus" size={14} />
        Add {item.name}
      </button>
    </fieldset>
  )
}

/** The parts of an object stand side by side where they are simple. */
function Row({ field, path, draft, label, errors, onChange, onLeave }: FieldProps & { readonly label: string }) {
  const { kind } = field
  if (draft.is !== 'group' || kind.is !== 'group') {
    if (draft.is === 'rows') return <FieldView {...{ field, path, draft, errors, onChange, onLeave }} />
    return <Input {...{ field, path, draft, errors, onChange, onLeave, label }} id={`try-${path}`} />
  }
  const { parts } = draft
  const set = (name: string, next: Draft) => onChange({ is: 'group', parts: { ...parts, [name]: next } })
  if (isStacked(kind)) {
    return (
      <SchemaForm
        fields={kind.fields}
        parts={parts}
        errors={errors}
        prefix={`${path}.`}
        onChange={(next) => onChange({ is: 'group', parts: next })}
        onLeave={onLeave}
      />
    )
  }
  return kind.fields.map((part) => (
    <Input
      key={part.name}
      field={part}
      path={`${path}.${part.name}`}
      id={`try-${path}.${part.name}`}
      draft={parts[part.name] ?? draftOf(part)}
      errors={errors}
      label={`${label} ${part.name}`}
      onChange={(next) => set(part.name, next)}
      onLeave={onLeave}
    />
  ))
}

function RowErrors({ at, errors }: { readonly at: string; readonly errors: FieldProps['errors'] }) {
  return Object.keys(errors)
    .filter((path) => path === at || path.startsWith(`${at}.`))
    .map((path) => <FieldError key={path} path={path} errors={errors} />)
}

function isStacked(kind: FieldKind): boolean {
  if (kind.is !== 'group') return false
  return kind.fields.length > 3 || kind.fields.some((part) => isWide(part.kind, part))
}

function isWide(kind: FieldKind, { schema }: Field): boolean {
  const { maxLength } = schema
  if (kind.is === 'text') return kind.isLong || (typeof maxLength === 'number' && maxLength > 64)
  return kind.is === 'json' || kind.is === 'rows' || kind.is === 'group'
}

/** One of a few, each with a sentence. */
export interface Choice<T extends string> {
  readonly value: T
  readonly title: string
  readonly about: string
}

export interface ChoicesProps<T extends string> {
  readonly name: string
  readonly label: string
  readonly choices: readonly Choice<T>[]
  readonly chosen: T
  onChoose(value: T): void
}

export function Choices<T extends string>({ name, label, choices, chosen, onChoose }: ChoicesProps<T>) {
  return (
    <fieldset className="set-choices">
      <legend className="sr">{label}</legend>
      {choices.map(({ value, title, about }) => (
        <label key={value} className="set-choice">
          <input type="radio" name={name} checked={value === chosen} onChange={() => onChoose(value)} />
          <span>
            <span className="w5 blk">{title}</span>
            <span className="s12 t3 blk">{about}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

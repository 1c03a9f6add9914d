/** The interface of the editor, in the words of the page. */
export interface EditorProps {
  readonly language: 'yaml' | 'json'
  /** The name for screen readers. */
  readonly label: string
  readonly value: string
  onChange?(value: string): void
  readonly readOnly?: boolean
  readonly notes?: readonly EditorNote[]
  /** Words that stand out where they are a whole value, such as the choices of a setting. */
  readonly keywords?: readonly string[]
  complete?(before: string): Completions | undefined
  /** Lines that differ from this text are marked. */
  readonly saved?: string
  readonly numbers?: readonly LineNumber[]
}

/** A note is shown below its line. */
export interface EditorNote {
  readonly is: 'error' | 'warning'
  /** From 1 on. */
  readonly line: number
  /** The part of the line that is underlined; without it, the whole line. */
  readonly text?: string
  readonly message: string
  /** Replaces `text`. */
  readonly suggestion?: string
}

export interface LineNumber {
  readonly line: number
  readonly number: number
  readonly title: string
}

/** The choices for the end of the text before the cursor. */
export interface Completions {
  /** How many characters before the cursor are replaced. */
  readonly replaced: number
  readonly choices: readonly Choice[]
}

export interface Choice {
  readonly text: string
  readonly detail?: string
}

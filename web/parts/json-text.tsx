/** JSON in colours. */
import { Fragment } from 'react'
import { VisibleText } from './visible-text.tsx'

// A key, a text, or a word or number.
const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d[\d.eE+-]*\b/g

/** Longer texts are shown without colours: each piece is an element. */
const longest = 20_000

export function JsonText({ text }: { readonly text: string }) {
  if (text.length > longest) return <VisibleText text={text} />
  const pieces: { readonly text: string; readonly className?: string }[] = []
  let at = 0
  for (const match of text.matchAll(token)) {
    const [whole, quoted, colon] = match
    if (match.index > at) pieces.push({ text: text.slice(at, match.index) })
    if (quoted === undefined) pieces.push({ text: whole, className: 'y-n' })
    else pieces.push({ text: quoted, className: colon === undefined ? 'y-s' : 'y-k' }, { text: colon ?? '' })
    at = match.index + whole.length
  }
  pieces.push({ text: text.slice(at) })
  return pieces.map(({ text: piece, className }, index) =>
    className === undefined ? (
      <Fragment key={index}>
        <VisibleText text={piece} />
      </Fragment>
    ) : (
      <span key={index} className={className}>
        <VisibleText text={piece} />
      </span>
    ),
  )
}

/** Indented, if it is JSON. */
export function indented(text: string): { readonly text: string; readonly isJson: boolean } {
  if (!/^\s*[[{]/.test(text)) return { text, isJson: false }
  try {
    return { text: JSON.stringify(JSON.parse(text), null, 2), isJson: true }
  } catch {
    return { text, isJson: false }
  }
}

/** As people write it: a short object begins and ends with its braces on the lines of its fields. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replace(/^\{\n {2}/, '{ ')
    .replace(/\n\}$/, ' }')
}

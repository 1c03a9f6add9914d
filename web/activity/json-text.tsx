/** JSON with its names, texts and numbers in colour. */
import { VisibleText } from '../parts/visible-text.tsx'

const token = /("(?:[^"\\]|\\.)*"(?:\s*:)?|-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b|\b(?:true|false|null)\b)/

export function JsonText({ text }: { readonly text: string }) {
  return text.split(new RegExp(token, 'g')).map((part, index) => (
    <span key={index} {...(index % 2 === 1 && { className: colourOf(part) })}>
      <VisibleText text={part} />
    </span>
  ))
}

function colourOf(part: string): string {
  if (!part.startsWith('"')) return 'y-n'
  return part.endsWith(':') ? 'y-k' : 'y-s'
}

/** As people write it: a short object begins and ends with its braces on the lines of its fields. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replace(/^\{\n {2}/, '{ ')
    .replace(/\n\}$/, ' }')
}

/** Citations in the words of agents: `path:start-end` opens the file at the line. */
import { createContext, use } from 'react'
import { VisibleText } from './visible-text.tsx'

export interface Citation {
  readonly path: string
  readonly first: number
  readonly last: number
}

export type OnCite = (citation: Citation) => void

export const CiteContext = createContext<OnCite | undefined>(undefined)

/** A citation is a word. Longer words are data, and are not searched. */
const longest = 300
const pattern = /^([("'[]*)([\w@+./-]*[\w-]\.[A-Za-z]\w{0,9}):(\d{1,7})(?:-(\d{1,7}))?([)\]"'.,;:!?]*)$/

/** `undefined`: the word is not a citation. */
export function citeIn(word: string): (Citation & { readonly around: readonly [string, string] }) | undefined {
  const [, before = '', path, first, last, after = ''] = (word.length <= longest && pattern.exec(word)) || []
  if (path === undefined || first === undefined) return undefined
  return { path, first: Number(first), last: Number(last ?? first), around: [before, after] }
}

export function TextWithCites({ text }: { readonly text: string }) {
  const onCite = use(CiteContext)
  const words = onCite && text.includes(':') ? text.split(/(\s+)/) : []
  if (!onCite || !words.some(citeIn)) return <VisibleText text={text} />
  return words.map((word, index) => {
    const cite = citeIn(word)
    if (!cite) return <VisibleText key={index} text={word} />
    const { around, ...citation } = cite
    return (
      <span key={index}>
        {around[0]}
        <button className="cite" onClick={() => onCite(citation)}>
          {word.slice(around[0].length, word.length - around[1].length)}
        </button>
        {around[1]}
      </span>
    )
  })
}

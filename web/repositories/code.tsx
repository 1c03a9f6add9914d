/** Source code with the colours of comments, strings and words of the language. Rough, and the same for all languages. */
import type { ReactNode } from 'react'
import { VisibleText } from '../parts/visible-text.tsx'

const words = new Set(
  'abstract and as async await break case catch class const continue def default defer del delete do elif else enum except export extends extern final finally fn for foreach from func function global go if impl implements import in include instanceof interface is lambda let loop match mod module mut namespace new nil none None not null or override package pass private protected pub public raise readonly ref require return satisfies select self static struct super switch then this throw throws trait true True false False try type typedef typeof undefined union unsafe use using var virtual void where while with yield'.split(
    ' ',
  ),
)
const hashComments =
  /\.(py|rb|sh|bash|ya?ml|toml|tf|pl|r|jl|ex|exs|cmake|conf|ini|mk)$|(^|\/)(Makefile|Dockerfile)[^/]*$/
const tokens =
  /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)|(\/\/.*|\/\*.*?(?:\*\/|$)|^\s*\*(?: .*|\/.*)?$)|(#.*)|([A-Za-z_]\w*)/g

export function Code({ path, lines }: { readonly path: string; readonly lines: readonly string[] }) {
  return lines.map((line, index) => (
    <span className="blk" key={index}>
      <CodeLine path={path} line={line} />
    </span>
  ))
}

export function CodeLine({ path, line }: { readonly path: string; readonly line: string }) {
  const hasHash = hashComments.test(path)
  const parts: ReactNode[] = []
  let end = 0
  for (const match of line.matchAll(tokens)) {
    const [all, string, comment, hash, word] = match
    const look = string
      ? 'y-s'
      : comment || (hash && hasHash)
        ? 'y-c'
        : word !== undefined && words.has(word)
          ? 'y-k'
          : undefined
    if (look === undefined) continue
    parts.push(<VisibleText key={`t${end}`} text={line.slice(end, match.index)} />)
    parts.push(
      <span key={match.index} className={look}>
        <VisibleText text={all} />
      </span>,
    )
    end = match.index + all.length
  }
  parts.push(<VisibleText key="end" text={line.slice(end)} />)
  return parts
}

/**
 * Markdown of agents. It becomes elements and never HTML, so nothing in it can run: tags are text, and only links to
 * http and https are links.
 */
import { Fragment, type ReactNode } from 'react'
import { CiteContext, type OnCite, TextWithCites, citeIn } from './citation.tsx'
import { VisibleText } from './visible-text.tsx'

export interface MarkdownProps {
  readonly text: string
  /** Without it, `path:start-end` is text. */
  readonly onCite?: OnCite
}

export default function Markdown({ text, onCite }: MarkdownProps) {
  return (
    <CiteContext value={onCite}>
      <div className="prose">{blocksOf(text.split('\n'))}</div>
    </CiteContext>
  )
}

function blocksOf(lines: readonly string[]): ReactNode[] {
  const blocks: ReactNode[] = []
  let at = 0
  /** The lines from here on that match. */
  function take(matches: (line: string) => boolean): readonly string[] {
    const start = at
    while (at < lines.length && matches(lines[at]!)) at++
    return lines.slice(start, at)
  }
  while (at < lines.length) {
    const line = lines[at]!
    const key = at
    const fence = /^\s*(```+|~~~+)\s*([\w+-]*)/.exec(line)
    const heading = /^(#{1,6})\s+(.*)$/.exec(line)
    if (fence) {
      at++
      const code = take((each) => !each.trimStart().startsWith(fence[1]!))
      at++
      blocks.push(
        <pre key={key} className="code well" tabIndex={0} aria-label="Code">
          <VisibleText text={code.join('\n')} />
        </pre>,
      )
    } else if (heading) {
      at++
      blocks.push(<h4 key={key}>{inline(heading[2]!)}</h4>)
    } else if (isItem(line)) {
      const items = toItems(take((each) => isItem(each) || /^\s{2,}\S/.test(each)))
      const children = items.map((item, index) => <li key={index}>{inline(item)}</li>)
      blocks.push(/^\s*\d/.test(line) ? <ol key={key}>{children}</ol> : <ul key={key}>{children}</ul>)
    } else if (line.startsWith('>')) {
      const quoted = take((each) => each.startsWith('>')).map((each) => each.replace(/^> ?/, ''))
      blocks.push(<blockquote key={key}>{blocksOf(quoted)}</blockquote>)
    } else if (line.trim() === '') at++
    else {
      const text = take((each) => each.trim() !== '' && !isItem(each) && !/^(\s*(```|~~~)|#{1,6}\s|>)/.test(each))
      blocks.push(<p key={key}>{inline(text.join('\n'))}</p>)
    }
  }
  return blocks
}

function isItem(line: string): boolean {
  return /^\s*([-*+]|\d+[.)])\s+\S/.test(line)
}

function toItems(lines: readonly string[]): readonly string[] {
  const items: string[] = []
  for (const line of lines) {
    if (isItem(line)) items.push(line.replace(/^\s*([-*+]|\d+[.)])\s+/, ''))
    else items.push(`${items.pop() ?? ''} ${line.trim()}`)
  }
  return items
}

const marks =
  /(`+)(.+?)\1|\*\*(.+?)\*\*|__(.+?)__|\*([^*\s][^*]*?)\*|\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)|(https?:\/\/[^\s<>)\]]+)/gu

function inline(text: string): ReactNode {
  const parts: ReactNode[] = []
  let end = 0
  for (const match of text.matchAll(marks)) {
    const [all, , code, strong, other, emphasis, label, target, bare] = match
    parts.push(<TextWithCites key={`t${end}`} text={text.slice(end, match.index)} />)
    const key = match.index
    if (code !== undefined && citeIn(code)) parts.push(<TextWithCites key={key} text={code} />)
    else if (code !== undefined)
      parts.push(
        <code key={key}>
          <VisibleText text={code} />
        </code>,
      )
    else if (strong !== undefined || other !== undefined) parts.push(<b key={key}>{inline((strong ?? other)!)}</b>)
    else if (emphasis !== undefined) parts.push(<em key={key}>{inline(emphasis)}</em>)
    else parts.push(<OutwardLink key={key} href={(target ?? bare)!} label={label ?? bare!} />)
    end = match.index + all.length
  }
  parts.push(<TextWithCites key="end" text={text.slice(end)} />)
  return <Fragment>{parts}</Fragment>
}

function OutwardLink({ href, label }: { readonly href: string; readonly label: string }) {
  return (
    <a className="link" href={href} target="_blank" rel="noopener noreferrer" title={href}>
      <VisibleText text={label} />
    </a>
  )
}

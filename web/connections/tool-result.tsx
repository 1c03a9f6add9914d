/** The answer of a tool that was tried: its texts, pictures and structured content, or why there is none. */
import { useState } from 'react'
import { showToast } from '../app/toasts.tsx'
import { DecisionMark } from '../parts/marks.tsx'
import { clock, tookText } from '../parts/time.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { JsonText, indented } from '../parts/json-text.tsx'

export interface ToolAnswer {
  readonly ok: boolean
  readonly ms: number
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: string
  readonly stderr?: string
}

export interface TriedCall {
  readonly tool: string
  readonly at: number
  readonly answer: ToolAnswer
}

export function ToolResult({ tried: { tool, at, answer } }: { readonly tried: TriedCall }) {
  const { ok, ms, result, error, stderr } = answer
  const parts = result === undefined ? [] : partsOf(result)
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(JSON.stringify(result ?? { error }, null, 2))
    showToast('allow', 'Copied')
  }
  return (
    <section className="res" aria-label="Last result">
      <div className="row s12">
        <span className="lab">Last result</span>
        <DecisionMark name={ok ? 'allow' : 'abort'} size={12} label={ok ? 'Answered' : 'Failed'} />
        <span className="t2 cut">
          {tool}, {clock(at, { seconds: false })}, {tookText(ms)}
        </span>
        <span className="grow" />
        <button type="button" className="link s12" onClick={() => void copy()}>
          Copy
        </button>
      </div>
      {error !== undefined && (
        <p className="stop s12" role="alert">
          <VisibleText text={error} />
        </p>
      )}
      {parts.map((part, index) => (
        <ResultPart key={index} part={part} isWrong={!ok} />
      ))}
      {stderr !== undefined && (
        <pre className="term err-log tall" tabIndex={0} aria-label="Output of the program">
          <VisibleText text={stderr} />
        </pre>
      )}
    </section>
  )
}

type Part = { readonly is: 'text'; readonly text: string } | { readonly is: 'image'; readonly source: string }

/** Structured content says the same as the text beside it, in a form that can be read better. */
function partsOf(result: Readonly<Record<string, unknown>>): readonly Part[] {
  const { content, structuredContent } = result
  const blocks = Array.isArray(content) ? (content as Readonly<Record<string, unknown>>[]) : []
  if (structuredContent !== undefined) {
    const others = blocks.filter(({ type }) => type !== 'text').map(partOf)
    return [{ is: 'text', text: JSON.stringify(structuredContent, null, 2) }, ...others]
  }
  return Array.isArray(content) ? blocks.map(partOf) : [{ is: 'text', text: JSON.stringify(result, null, 2) }]
}

/** Only pictures that a browser draws without running anything in them. */
const pictures = /^image\/(?:png|jpeg|gif|webp)$/

function partOf(block: Readonly<Record<string, unknown>>): Part {
  const { type, text, data, mimeType } = block
  if (type === 'text' && typeof text === 'string') return { is: 'text', text }
  if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string' && pictures.test(mimeType)) {
    return { is: 'image', source: `data:${mimeType};base64,${data}` }
  }
  return { is: 'text', text: JSON.stringify(block, null, 2) }
}

const longest = 8_000

function ResultPart({ part, isWrong }: { readonly part: Part; readonly isWrong: boolean }) {
  const [isWhole, setIsWhole] = useState(false)
  if (part.is === 'image') return <img className="res-image" src={part.source} alt="A picture from the tool" />
  const { text, isJson } = indented(part.text)
  const shown = isWhole ? text : text.slice(0, longest)
  return (
    <>
      <pre className={`code well res-text${isJson ? '' : ' wrap'}${isWrong ? ' y-x' : ''}`} tabIndex={0}>
        {isJson ? <JsonText text={shown} /> : <VisibleText text={shown} />}
      </pre>
      {shown.length < text.length && (
        <button type="button" className="link s12" onClick={() => setIsWhole(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </>
  )
}

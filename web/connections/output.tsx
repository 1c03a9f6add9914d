/** The output of a connector's upstreams, and the hub's notes about them. */
import { useEffect, useRef, useState } from 'react'
import type { ConnectorDetail, ConnectorVariable } from '../../src/api/connector.ts'
import { Icon } from '../parts/icons.tsx'
import { DecisionMark } from '../parts/marks.tsx'
import { clock } from '../parts/time.ts'
import { VisibleText } from '../parts/visible-text.tsx'

/** Below the other tabs, as a strip of the last lines. */
export function OutputStrip({ connector }: { readonly connector: ConnectorDetail }) {
  const { shown, chooser } = useShownUpstream(connector)
  return (
    <section className="c-log" aria-label="Output">
      <div className="row s12 c-log-h">
        <span className="lab">Output</span>
        {chooser}
        <span className="t3 cut">{shown ? countOf(shown) : 'No session uses it now.'}</span>
        <span className="grow" />
        {connector.variables.map((variable) => (
          <Variable key={variable.name} variable={variable} />
        ))}
      </div>
      {shown && <Lines upstream={shown} />}
    </section>
  )
}

/** As a tab of its own, with all that is kept. */
export function OutputPanel({ connector }: { readonly connector: ConnectorDetail }) {
  const { shown, chooser } = useShownUpstream(connector)
  if (!shown) return <p className="t3">No session uses it now. Test it to see what it writes.</p>
  return (
    <>
      <p className="row s12 t3 out-h">
        {chooser}
        {countOf(shown)}
      </p>
      <Lines upstream={shown} isTall />
    </>
  )
}

type ShownUpstream = ConnectorDetail['upstreams'][number]

function useShownUpstream({ upstreams }: ConnectorDetail) {
  const [chosen, setChosen] = useState<string>()
  const keyOf = ({ session, label }: ShownUpstream) => `${session} ${label}`
  const shown =
    upstreams.find((each) => keyOf(each) === chosen) ?? upstreams.find(({ is }) => is === 'failed') ?? upstreams[0]
  const chooser = shown && upstreams.length > 1 && (
    <span className="input sel soft out-of">
      <select aria-label="Session" value={keyOf(shown)} onChange={(event) => setChosen(event.target.value)}>
        {upstreams.map((each) => (
          <option key={keyOf(each)} value={keyOf(each)}>
            {each.session}
          </option>
        ))}
      </select>
      <Icon name="down" size={12} />
    </span>
  )
  return { shown, chooser }
}

function countOf({ output: { lines, total }, session }: ShownUpstream): string {
  return `${session}, last ${lines.length} of ${total} lines`
}

function Lines({
  upstream: { output },
  isTall = false,
}: {
  readonly upstream: ShownUpstream
  readonly isTall?: boolean
}) {
  const box = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  useEffect(() => {
    if (isAtEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [output.total])
  return (
    <div
      ref={box}
      className={isTall ? 'term err-log tall' : 'term err-log'}
      tabIndex={0}
      role="log"
      aria-label="Lines"
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) =>
        void (isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 4)
      }
    >
      {output.lines.map(({ at, from, text }, index) => (
        <div key={output.total - output.lines.length + index}>
          <span className="c-d">{clock(at)}</span>{' '}
          <span className={classOf(from, text)}>
            <VisibleText text={text} />
          </span>
        </div>
      ))}
    </div>
  )
}

function classOf(from: 'program' | 'hub', text: string): string | undefined {
  if (from === 'hub') return /^(?:\$ |connect|the next attempt|given up)/.test(text) ? 'c-d' : 'c-r'
  if (/\b(?:error|fatal|panic)\b/i.test(text)) return 'c-r'
  return /\bwarn(?:ing)?\b/i.test(text) ? 'c-y' : undefined
}

export function Variable({ variable: { name, state } }: { readonly variable: ConnectorVariable }) {
  return (
    <span className="row variable">
      <code className="t2">{name}</code>
      {state === 'set' && (
        <span className="chip go">
          <DecisionMark name="allow" size={10} />
          set
        </span>
      )}
      {state === 'missing' && <span className="chip wait">not set</span>}
      {state === 'default' && <span className="chip">has a default</span>}
    </span>
  )
}

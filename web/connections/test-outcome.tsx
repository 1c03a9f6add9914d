/** The result of a test, in a sentence. */
import { Icon } from '../parts/icons.tsx'
import { DecisionMark } from '../parts/marks.tsx'
import { tookText } from '../parts/time.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { counted } from '../parts/amounts.ts'
import type { ConnectorTest, TestOutcome } from './use-test.ts'

export function TestResult({ test: { outcome, isRunning, clear } }: { readonly test: ConnectorTest }) {
  if (isRunning) {
    return (
      <p className="c-test row s12" role="status">
        <DecisionMark name="connecting" />
        Testing: starting it and asking what it offers…
      </p>
    )
  }
  if (!outcome) return null
  return (
    <div className={outcome.ok ? 'c-test go' : 'c-test stop'} role="status">
      <div className="row">
        <DecisionMark name={outcome.ok ? 'allow' : 'abort'} />
        <span className="grow test-words">
          <VisibleText text={wordsOf(outcome)} />
        </span>
        <button type="button" className="icon-btn sm" aria-label="Close the result" onClick={clear}>
          <Icon name="close" size={14} />
        </button>
      </div>
      {outcome.stderr !== undefined && (
        <pre className="term err-log tall" tabIndex={0} aria-label="Output of the program">
          <VisibleText text={outcome.stderr} />
        </pre>
      )}
    </div>
  )
}

function wordsOf({ ok, ms, server, version, tools, resources, prompts, error }: TestOutcome): string {
  if (!ok) return error ?? 'It does not work.'
  const offers = [
    counted(tools?.count ?? 0, 'tool'),
    counted(resources?.count ?? 0, 'resource'),
    counted(prompts?.count ?? 0, 'prompt'),
  ]
  const who = server ? `${server.name} ${server.version}` : 'It'
  return `${who} works: ${offers.join(', ')}. MCP ${version ?? '?'}, ${tookText(ms)}.`
}

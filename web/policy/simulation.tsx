/** The decisions that the text in the editor would have made about the recorded calls. */
import { type ReactNode, useState } from 'react'
import { commandKey } from '../app/keys.ts'
import { PageLink } from '../app/link.tsx'
import { useIsLost } from '../hub/hub-context.tsx'
import { useSessions } from '../hub/hub-data.ts'
import { counted } from '../parts/amounts.ts'
import { Keys } from '../parts/keys-hint.tsx'
import { DecisionMark, StateMark } from '../parts/marks.tsx'
import { clock, tookText } from '../parts/time.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { EffectWord } from './effect-word.tsx'
import { ruleName } from './policy-data.ts'
import type { PolicyPlace } from './policy-place.ts'
import {
  type ChangedCall,
  type ChangedGroup,
  type Simulating,
  type SimulationResult,
  countsOf,
  periods,
} from './simulate.ts'

export interface SimulationPaneProps {
  readonly place: PolicyPlace
  readonly text: string
  readonly simulating: Simulating
}

export function SimulationPane({ place, text, simulating }: SimulationPaneProps) {
  const { simulation, since, run } = simulating
  const isLost = useIsLost()
  const hasRun = simulation.is !== 'none'
  return (
    <section className="sim" aria-label="Simulation">
      <div className="row sim-h">
        <h2 className="w6">Against the record</h2>
        <span className="seg sm" role="group" aria-label="Since">
          {periods.map((period) => (
            <button
              key={period.since}
              aria-pressed={period.since === since}
              disabled={isLost}
              onClick={() => run(period.since)}
            >
              {period.words}
            </button>
          ))}
        </span>
        <span className="grow" />
        {simulation.is === 'done' && (
          <span className="s12 t3 num">
            {simulation.text === text
              ? `Ran in ${tookText(simulation.ms)}, ${clock(simulation.at, { seconds: false })}`
              : 'The text has changed since'}
          </span>
        )}
        <button className="btn" disabled={isLost || simulation.is === 'running'} onClick={() => run()}>
          {hasRun ? 'Run again' : 'Run'}
          <Keys keys={[commandKey, '↵']} />
        </button>
      </div>
      <div className="sim-b" role="status" aria-live="polite">
        {simulation.is === 'none' && (
          <p className="sim-p t3">Replays the calls that agents made, as if this text had been the policy.</p>
        )}
        {simulation.is === 'running' && (
          <>
            <div className="sum">
              <div className="sum-bar">
                <span className="grow same running" />
              </div>
            </div>
            <p className="sim-p t3">Replaying the calls of the last {wordsOf(since)} …</p>
          </>
        )}
        {simulation.is === 'failed' && (
          <p className="sim-p row">
            <DecisionMark name="abort" />
            <span>
              <b className="w6">Cannot be evaluated.</b> <VisibleText text={simulation.why} />
            </span>
          </p>
        )}
        {simulation.is === 'done' && <Result result={simulation.result} place={place} since={wordsOf(since)} />}
      </div>
    </section>
  )
}

function wordsOf(since: string): string {
  return periods.find((period) => period.since === since)?.words ?? since
}

interface ResultProps {
  readonly result: SimulationResult
  readonly place: PolicyPlace
  readonly since: string
}

function Result({ result, place, since }: ResultProps) {
  const { looser, stricter, refusedNowAllowed: refused } = countsOf(result)
  const [showsRefused, setShowsRefused] = useState(false)
  if (result.calls === 0) return <p className="sim-p t3">No agent made a call in the last {since}.</p>
  const refusedCalls = result.changed.filter(({ answer, after }) => answer !== undefined && after === 'allow')
  const isRefusedShown = showsRefused && refused > 0
  return (
    <>
      <Summary result={result} looser={looser} stricter={stricter} />
      {refused > 0 && (
        <p className="sim-warn">
          <StateMark state="waiting" />
          <span>
            <b className="w6">{counted(refused, 'call')} that you denied would now be allowed.</b>{' '}
            <button className="link" aria-pressed={isRefusedShown} onClick={() => setShowsRefused(!showsRefused)}>
              {isRefusedShown ? 'Show all' : 'Show them'}
            </button>
          </span>
        </p>
      )}
      {result.groups.length === 0 && (
        <p className="sim-p t2">No call of the last {since} would be decided differently.</p>
      )}
      {result.groups.length > 0 &&
        (isRefusedShown ? (
          <CallTable calls={refusedCalls} place={place} />
        ) : (
          <GroupTable groups={result.groups} place={place} />
        ))}
      {result.truncated && (
        <p className="sim-p s12 t3">
          There are more calls. Only the first {result.calls.toLocaleString('en')} were replayed.
        </p>
      )}
    </>
  )
}

interface SummaryProps {
  readonly result: SimulationResult
  readonly looser: number
  readonly stricter: number
}

function Summary({ result: { calls, unchanged, uncertain }, looser, stricter }: SummaryProps) {
  const words = `${counted(unchanged, 'call')} unchanged, ${looser} looser, ${stricter} stricter`
  // A few changed calls among thousands must be seen.
  const width = (count: number) => ({ flexGrow: Math.sqrt(count) })
  return (
    <div className="sum">
      <div className="sum-bar" role="img" aria-label={words}>
        {unchanged > 0 && <span className="same" style={width(unchanged)} />}
        {looser > 0 && <span className="loose" style={width(looser)} />}
        {stricter > 0 && <span className="tight" style={width(stricter)} />}
        {uncertain > 0 && <span className="unsure" style={width(uncertain)} />}
      </div>
      <dl>
        <Count count={calls}>calls replayed</Count>
        <Count count={unchanged}>the same</Count>
        <Count count={looser}>
          <DecisionMark name="allow" size={12} />
          looser
        </Count>
        <Count count={stricter}>
          <DecisionMark name="deny" size={12} />
          stricter
        </Count>
        {uncertain > 0 && (
          <Count count={uncertain}>
            <DecisionMark name="expired" size={12} />
            <span title="A rule looks at an argument that the record does not keep">not judged</span>
          </Count>
        )}
      </dl>
    </div>
  )
}

function Count({ count, children }: { readonly count: number; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{children}</dt>
      <dd className="num">{count.toLocaleString('en')}</dd>
    </div>
  )
}

function GroupTable({ groups, place }: { readonly groups: readonly ChangedGroup[]; readonly place: PolicyPlace }) {
  return (
    <table className="table sim-t">
      <thead>
        <tr>
          <th className="r">Calls</th>
          <th>Tool</th>
          <th className="sim-ex">Example</th>
          <th>Before</th>
          <th>After</th>
          <th>By</th>
        </tr>
      </thead>
      <tbody>
        {groups.map((group) => (
          <tr key={JSON.stringify([group.tool, group.before, group.after, group.rule])}>
            <td className="r w6">{group.count.toLocaleString('en')}</td>
            <td>
              <code>
                <VisibleText text={group.tool} />
              </code>
            </td>
            <td className="t2 sim-ex">
              <span className="cut ex">
                <VisibleText text={group.example?.split('\n')[0] ?? group.sessions.join(', ')} />
              </span>
            </td>
            <td>
              <EffectWord effect={group.before} />
            </td>
            <td>
              <EffectWord effect={group.after} />
              {group.after === 'allow' && group.refused > 0 && (
                <span className="chip wait">{group.refused.toLocaleString('en')} you denied</span>
              )}
            </td>
            <td className="t2 nowrap">{ruleName(group.rule, place)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function CallTable({ calls, place }: { readonly calls: readonly ChangedCall[]; readonly place: PolicyPlace }) {
  const { value: sessions = [] } = useSessions()
  return (
    <table className="table sim-t">
      <thead>
        <tr>
          <th className="r">At</th>
          <th>Tool</th>
          <th className="sim-ex">Session</th>
          <th>Before</th>
          <th>After</th>
          <th>By</th>
        </tr>
      </thead>
      <tbody>
        {calls.map((call) => {
          const session = sessions.find(({ id }) => id === call.session)
          return (
            <tr key={call.event}>
              <td className="r num" title={new Date(call.at).toLocaleString()}>
                {clock(call.at, { seconds: false })}
              </td>
              <td>
                <code>
                  <VisibleText text={call.tool} />
                </code>
              </td>
              <td className="t2 sim-ex">
                {session ? (
                  <PageLink className="link" to={{ is: 'session', name: session.id }}>
                    {session.name}
                  </PageLink>
                ) : (
                  'removed'
                )}
              </td>
              <td>
                <EffectWord effect={call.before} />
              </td>
              <td>
                <EffectWord effect={call.after} />
                <span className="chip wait">you {call.answer}</span>
              </td>
              <td className="t2 nowrap">{ruleName(call.rule, place)}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

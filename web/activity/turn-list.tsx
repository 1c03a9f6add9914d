/** The turns of a period, with filters. */
import { useState } from 'react'
import type { TurnSummary } from '../../src/api/turn.ts'
import { PageLink } from '../app/link.tsx'
import { useIsLost } from '../hub/hub-context.tsx'
import { useSessions } from '../hub/hub-data.ts'
import { spentText } from '../parts/amounts.ts'
import { StateMark } from '../parts/marks.tsx'
import { type SessionState, stateWords } from '../parts/session-state.ts'
import { useSteadyOrder } from '../parts/steady-order.ts'
import { clock } from '../parts/time.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { type Period, periods } from './activity-data.ts'
import { CostToday } from './cost-today.tsx'
import { FilterMenu } from './filter-menu.tsx'
import { firstLine } from './waterfall.ts'

const kinds = {
  held: ['Held', ({ held_ms: ms, held_since: since }) => ms > 0 || since !== undefined],
  denied: ['Denied', ({ denied }) => denied > 0],
  failed: ['Failed', ({ status }) => status === 'failed'],
  asked: ['Asked other sessions', ({ sessions }) => sessions > 1],
  running: ['Running', ({ status }) => status === 'running'],
} as const satisfies Record<string, readonly [string, (turn: TurnSummary) => boolean]>
type Kind = keyof typeof kinds

export interface TurnFilter {
  readonly period: Period
  readonly session?: string | undefined
  readonly kind?: Kind | undefined
  readonly route?: string | undefined
}

/** The choices stay while the person looks at something else. */
let lastFilter: TurnFilter = { period: 'hour' }

export function useTurnFilter() {
  const [filter, set] = useState(lastFilter)
  const change = (part: Partial<TurnFilter>) => set((lastFilter = { ...filter, ...part }))
  return [filter, change] as const
}

export function matchesFilter(turn: TurnSummary, { kind, route }: TurnFilter): boolean {
  return (kind === undefined || kinds[kind][1](turn)) && (route === undefined || turn.routes.includes(route))
}

export interface TurnListProps {
  /** `undefined`: they are being read. */
  readonly turns: readonly TurnSummary[] | undefined
  readonly chosen: string | undefined
  readonly filter: TurnFilter
  onFilter(part: Partial<TurnFilter>): void
}

export function TurnList({ turns, chosen, filter, onFilter }: TurnListProps) {
  const shown = (turns ?? []).filter((turn) => matchesFilter(turn, filter))
  const { items, ...steady } = useSteadyOrder(shown, ({ correlation, session_id: id }) => `${correlation} ${id}`)
  return (
    <section className="pane list" aria-label="Turns">
      <Filters turns={turns ?? []} filter={filter} onFilter={onFilter} />
      <div className="scroll" tabIndex={0} role="region" aria-label="List of turns" {...steady}>
        {turns && shown.length === 0 && (
          <p className="t3 px-4 py-3">
            {turns.length === 0
              ? `No turn began in this time. A turn is one prompt and what the agent does until it stops.`
              : 'No turn is like this.'}
          </p>
        )}
        <ul>
          {items.map((turn) => (
            <TurnItem
              key={`${turn.correlation} ${turn.session_id}`}
              turn={turn}
              isChosen={turn.correlation === chosen}
            />
          ))}
        </ul>
      </div>
      <CostToday />
    </section>
  )
}

function Filters({
  turns,
  filter,
  onFilter,
}: Pick<TurnListProps, 'filter' | 'onFilter'> & { readonly turns: readonly TurnSummary[] }) {
  const { value: sessions = [] } = useSessions()
  const names = [...new Set([...sessions, ...turns.map(({ session: name }) => ({ name }))].map(({ name }) => name))]
  const routes = [...new Set(turns.flatMap((turn) => turn.routes))].toSorted()
  return (
    <div className="row a-fil">
      <FilterMenu
        title="Session"
        all="All sessions"
        value={filter.session}
        choices={names.map((name) => [name, name])}
        onChange={(session) => onFilter({ session })}
      />
      <FilterMenu
        title="Type"
        all="All turns"
        value={filter.kind}
        choices={Object.entries(kinds).map(([kind, [words]]) => [kind, words])}
        onChange={(kind) => onFilter({ kind: kind as Kind | undefined })}
      />
      <FilterMenu
        title="Route"
        all="All routes"
        value={filter.route}
        choices={routes.map((route) => [route, route])}
        onChange={(route) => onFilter({ route })}
      />
      <span className="grow" />
      <FilterMenu
        title="Time"
        value={filter.period}
        choices={Object.entries(periods).map(([period, { words }]) => [period, words])}
        onChange={(period) => onFilter({ period: (period ?? 'hour') as Period })}
      />
    </div>
  )
}

function TurnItem({ turn, isChosen }: { readonly turn: TurnSummary; readonly isChosen: boolean }) {
  const state = turnState(turn, useIsLost())
  return (
    <li>
      <PageLink
        className="list-row a-item"
        data-item
        to={{ is: 'activity', id: turn.correlation }}
        {...(isChosen && { 'aria-current': 'true' })}
      >
        <StateMark state={state} label={turnWords(turn, state)} />
        <span className="q-main">
          <span className="row">
            <span className="w6 cut">{turn.session}</span>
            <span className="grow" />
            <span className="s12 t3 num">{clock(turn.started_at, { seconds: false })}</span>
          </span>
          <span className="cut q-sum">
            <VisibleText
              text={turn.asked_by === undefined ? firstLine(turn.prompt ?? '') : `asked by ${turn.asked_by}`}
            />
          </span>
          <span className="s12 t3 cut">
            {factsOf(turn).map((fact, index) => (
              <span key={fact}>
                {index > 0 && <span className="sep" />}
                <VisibleText text={fact} />
              </span>
            ))}
          </span>
        </span>
      </PageLink>
    </li>
  )
}

function factsOf({ status, reason, denied, sessions, spans, usage }: TurnSummary): readonly string[] {
  return [
    ...(status === 'failed' ? [reason ?? 'failed'] : []),
    ...(status === 'interrupted' || status === 'cut' ? [status] : []),
    ...(denied > 0 ? [`${denied} denied`] : []),
    ...(sessions > 1 ? [`${sessions} sessions`] : []),
    `${spans} span${spans === 1 ? '' : 's'}`,
    ...(usage ? [spentText(usage)] : []),
  ]
}

/** The state of a turn, in terms of the marks of sessions. */
export function turnState({ status, held_since: held }: TurnSummary, isLost: boolean): SessionState {
  if (held !== undefined) return 'waiting'
  if (status === 'running') return isLost ? 'unknown' : 'working'
  return status === 'failed' ? 'failed' : 'ended'
}

export function turnWords({ status }: TurnSummary, state: SessionState): string {
  return status === 'running' || status === 'failed' ? stateWords[state] : status === 'completed' ? 'Done' : 'Stopped'
}

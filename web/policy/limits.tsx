/** Says where the policy does not reach. */
import type { Session } from '../../src/api/session.ts'
import { isOver } from '../../src/api/session-status.ts'
import { useSessions } from '../hub/hub-data.ts'
import { DecisionMark } from '../parts/marks.tsx'

export function Limits() {
  const { value: sessions = [] } = useSessions()
  const living = sessions.filter(({ status }) => !isOver(status))
  const reporting = templatesOf(living, ({ governed }) => governed?.is === 'yes')
  const silent = templatesOf(living, ({ governed }) => governed?.is === 'no' || governed?.is === 'partly')
  return (
    <p className="s12 t3 honest">
      <DecisionMark name="info" size={12} />
      <span>
        An agent’s own shell and edits pass this policy only where its driver reports them.
        {reporting.length > 0 &&
          ` Of the running ones, ${listed(reporting)} ${reporting.length === 1 ? 'does' : 'do'}.`}
        {silent.length > 0 && ` Not all of ${listed(silent)} is reported.`}
      </span>
    </p>
  )
}

function templatesOf(sessions: readonly Session[], isOne: (session: Session) => boolean): readonly string[] {
  return [...new Set(sessions.filter(isOne).map(({ template }) => template))].toSorted()
}

/** `claude, codex and opencode` */
function listed(names: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(names)
}

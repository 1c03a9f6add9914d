/** Says where the policy does not reach. */
import type { Session } from '../../src/api/session.ts'
import { isOver } from '../../src/api/session-status.ts'
import { useSessions } from '../hub/hub-data.ts'
import { DecisionMark } from '../parts/marks.tsx'

export function Limits() {
  const { value: sessions = [] } = useSessions()
  const living = sessions.filter(({ status }) => !isOver(status))
  const reporting = templatesOf(living.filter(({ governed }) => governed?.is === 'yes'))
  const silent = templatesOf(living.filter(({ governed }) => governed?.is !== 'yes'))
  const words = [...reportWords(reporting, ''), ...reportWords(silent, ' not')].join('; ')
  return (
    <p className="s12 t3 honest">
      <DecisionMark name="info" size={12} />
      <span>
        An agent’s own shell and edits pass this policy only where its driver reports them.
        {words !== '' && ` Running now: ${words}.`}
      </span>
    </p>
  )
}

function templatesOf(sessions: readonly Session[]): readonly string[] {
  return [...new Set(sessions.map(({ template }) => template))].toSorted()
}

/** `claude and codex do`, `shell does not` */
function reportWords(names: readonly string[], not: string): readonly string[] {
  if (names.length === 0) return []
  return [`${new Intl.ListFormat('en-GB').format(names)} ${names.length === 1 ? 'does' : 'do'}${not}`]
}

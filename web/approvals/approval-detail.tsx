/** One approval: the whole call, who asks, why, what led to it, and the answer. */
import { useEffect, useRef } from 'react'
import type { Approval } from '../../src/api/approval.ts'
import type { Session } from '../../src/api/session.ts'
import { PageLink } from '../app/link.tsx'
import { go } from '../app/router.ts'
import { useKeys } from '../app/keys.ts'
import { useLive } from '../hub/hub-context.tsx'
import { useSessions } from '../hub/hub-data.ts'
import { Icon } from '../parts/icons.tsx'
import { DecisionMark, StateMark } from '../parts/marks.tsx'
import { ruleWords } from '../parts/rule-words.ts'
import { addressOf } from '../parts/session-state.ts'
import { Thumbnail } from '../parts/thumbnail.tsx'
import { clock, duration } from '../parts/time.ts'
import { useNow } from '../parts/use-now.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { LedTo } from './led-to.tsx'
import { AskedCall } from './asked-call.tsx'
import { useApprovalKeys } from './decide.ts'
import { useDecisionBar } from './decision-bar.tsx'
import { outcomeOf, questionOf, titleOf } from './question.ts'

export interface ApprovalDetailProps {
  readonly approval: Approval
  /** Those that wait, in order. */
  readonly pending: readonly Approval[]
}

export function ApprovalDetail({ approval, pending }: ApprovalDetailProps) {
  const article = useRef<HTMLElement>(null)
  const { bar, keys } = useDecisionBar(approval)
  const onKeyDown = useApprovalKeys(keys)
  const { value: sessions = [] } = useSessions()
  const session = sessions.find(({ id }) => id === approval.session_id)
  const whole = useWhole(approval)
  const at = pending.findIndex(({ id }) => id === approval.id)
  const isPending = approval.status === 'pending'
  const heldMs = useNow(1_000) - Date.parse(approval.requested_at)
  const move = (step: number) => {
    const next = pending[at + step]
    if (next) go({ is: 'approvals', id: next.id }, { replace: true })
  }
  useKeys({ j: () => move(1), k: () => move(-1) })
  useEffect(() => article.current?.focus({ preventScroll: true }), [approval.id])

  return (
    <article
      className="pane detail ap"
      ref={article}
      tabIndex={-1}
      aria-label={titleOf(approval)}
      onKeyDown={onKeyDown}
    >
      <header className="d-head">
        <PageLink className="icon-btn phone-only" to={{ is: 'approvals', id: undefined }} aria-label="Back">
          <Icon name="back" size={20} />
        </PageLink>
        {isPending ? <StateMark state="waiting" size={16} /> : <DecisionMark name="expired" size={16} />}
        <h2 className="cut">
          <VisibleText text={titleOf(approval)} />
          <span className="phone-only s12 t3 hd-who">
            {approval.session}, {isPending ? `held ${duration(heldMs, { seconds: false })}` : outcomeOf(approval)}
          </span>
        </h2>
        <span className="grow" />
        <span className="s12 t2 num desk-only">{isPending ? `held ${duration(heldMs)}` : outcomeOf(approval)}</span>
        {at >= 0 && (
          <span className="row nextprev">
            <span className="s12 t3 num">
              {at + 1} of {pending.length}
            </span>
            <button className="icon-btn sm" aria-label="Previous (K)" disabled={at === 0} onClick={() => move(-1)}>
              <Icon name="up" size={14} />
            </button>
            <button
              className="icon-btn sm"
              aria-label="Next (J)"
              disabled={at === pending.length - 1}
              onClick={() => move(1)}
            >
              <Icon name="down" size={14} />
            </button>
          </span>
        )}
      </header>
      <div className="scroll d-body" tabIndex={0} role="region" aria-label="The call">
        <AskedCall approval={whole} big />
        <Notes approval={whole} />
        <div className="d-grid">
          <div>
            <Facts approval={approval} session={session} sessions={sessions} />
            {session?.thread !== undefined && <LedTo thread={session.thread} />}
          </div>
          {session?.terminal && (
            <aside className="d-side desk-only">
              <div className="field">
                <span className="lab">Screen now</span>
                <PageLink to={{ is: 'session', name: addressOf(session, sessions) }}>
                  <span className="sr">Open {session.name}</span>
                  <Thumbnail session={session} height={176} />
                </PageLink>
              </div>
            </aside>
          )}
        </div>
      </div>
      {isPending && bar}
    </article>
  )
}

/** In lists, large arguments are cut. */
function useWhole(approval: Approval): Approval {
  const { value } = useLive<Approval>(`approval:${approval.id}`, ({ call }) => ({
    uris: [`resource://approvals/${approval.id}`],
    async read(signal) {
      const { approvals } = await call<{ approvals: readonly Approval[] }>(
        'list_approvals',
        { id: approval.id },
        signal,
      )
      return approvals[0] ?? approval
    },
  }))
  return value ?? approval
}

function Notes({ approval }: { readonly approval: Approval }) {
  const { arguments_left_out: left, hidden, waiting } = approval
  const notes = [
    left !== undefined && `${left.toLocaleString('en')} bytes of the arguments are not shown here.`,
    hidden && hidden.length > 0 && `Hidden secrets at ${hidden.map(({ at }) => at).join(', ')}.`,
    waiting === false && 'The agent has moved on. It gets your answer when it makes the same call again.',
  ].filter((note) => typeof note === 'string')
  return notes.map((note) => (
    <p key={note} className="notes s12">
      <span className="row">
        <DecisionMark name="info" size={12} />
        <span>{note}</span>
      </span>
    </p>
  ))
}

interface FactsProps {
  readonly approval: Approval
  readonly session: Session | undefined
  readonly sessions: readonly Session[]
}

function Facts({ approval, session, sessions }: FactsProps) {
  const question = questionOf(approval)
  const directory = (question.is === 'command' ? question.directory : undefined) ?? session?.workspace_path
  const { tool, rule, rule_reason: reason, policy_version: version, requested_at: at, expires_at: expires } = approval
  return (
    <dl className="facts">
      <div>
        <dt>Session</dt>
        <dd>
          {session ? (
            <PageLink className="link" to={{ is: 'session', name: addressOf(session, sessions) }}>
              {session.name}
            </PageLink>
          ) : (
            approval.session
          )}{' '}
          <span className="t3">{session?.template}</span>
        </dd>
      </div>
      {directory !== undefined && (
        <div>
          <dt>In</dt>
          <dd>
            <code>
              <VisibleText text={directory} />
            </code>
          </dd>
        </div>
      )}
      <div>
        <dt>Tool</dt>
        <dd>
          <code>
            <VisibleText text={tool} />
          </code>
        </dd>
      </div>
      <div>
        <dt>Asked by</dt>
        <dd>
          {rule === undefined ? 'No rule matches; the default is ask' : ruleWords(rule)}
          {reason !== undefined && (
            <>
              : <VisibleText text={reason} />
            </>
          )}{' '}
          <span className="t3">policy {version}</span>
        </dd>
      </div>
      <div>
        <dt>Approval</dt>
        <dd>
          <code>{approval.id}</code>{' '}
          <span className="t3">
            asked {clock(at)}, expires {clock(expires, { seconds: false })}
          </span>
        </dd>
      </div>
      {approval.reason !== undefined && (
        <div>
          <dt>Answer</dt>
          <dd>
            <VisibleText text={approval.reason} />
          </dd>
        </div>
      )}
    </dl>
  )
}

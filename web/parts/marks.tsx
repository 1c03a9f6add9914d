/** Marks: the state of a session, and what was decided about a call. Shape and colour say the same. */
import type { ReactNode } from 'react'
import { type SessionState, stateWords } from './session-state.ts'

const cross = 'm4.8 4.8 4.4 4.4m0-4.4-4.4 4.4'

const diamond = <path d="M7 .9 13.1 7 7 13.1.9 7z" fill="var(--wait-lamp)" stroke="var(--wait)" strokeWidth="1.2" />
const refusal = (
  <>
    <rect x="2" y="2" width="10" height="10" rx="1" fill="var(--stop)" />
    <path d={cross} stroke="var(--surface)" strokeWidth="1.5" />
  </>
)
const dashed = (
  <circle cx="7" cy="7" r="4.5" fill="none" stroke="var(--text3)" strokeWidth="1.5" strokeDasharray="2 1.6" />
)

const stateDrawings: Readonly<Record<SessionState, ReactNode>> = {
  waiting: diamond,
  working: (
    <>
      <circle className="pulse" cx="7" cy="7" r="6.5" fill="var(--go)" />
      <circle cx="7" cy="7" r="4.5" fill="var(--go)" />
    </>
  ),
  idle: <circle cx="7" cy="7" r="4" fill="none" stroke="var(--text3)" strokeWidth="1.5" />,
  ended: <path d="M.5 7h8M9.3 2.5v9M12 4v6" fill="none" stroke="var(--text3)" strokeWidth="1.6" />,
  failed: refusal,
  starting: (
    <>
      <circle cx="7" cy="7" r="4" fill="none" stroke="var(--go)" strokeWidth="1.5" />
      <path d="M7 3a4 4 0 0 1 0 8z" fill="var(--go)" />
    </>
  ),
  unknown: dashed,
}

interface MarkOptions {
  readonly size?: number
  /** The text for screen readers. Without it, words beside the mark say the same. */
  readonly label?: string
}

export function StateMark({ state, ...options }: { readonly state: SessionState } & MarkOptions) {
  return <Mark {...options}>{stateDrawings[state]}</Mark>
}

/** With the words of the state for screen readers. */
export function LabelledMark({ state, size = 12 }: { readonly state: SessionState; readonly size?: number }) {
  return <StateMark state={state} size={size} label={stateWords[state]} />
}

const decisionDrawings = {
  allow: (
    <>
      <circle cx="7" cy="7" r="5.75" fill="none" stroke="var(--go)" strokeWidth="1.4" />
      <path d="m4.3 7.2 1.9 1.9 3.5-3.9" fill="none" stroke="var(--go)" strokeWidth="1.4" />
    </>
  ),
  ask: <path d="M7 1.4 12.6 7 7 12.6 1.4 7z" fill="none" stroke="var(--wait)" strokeWidth="1.5" />,
  deny: (
    <>
      <rect x="1.75" y="1.75" width="10.5" height="10.5" rx="1" fill="none" stroke="var(--stop)" strokeWidth="1.5" />
      <path d="M4 7h6" stroke="var(--stop)" strokeWidth="1.6" />
    </>
  ),
  abort: refusal,
  expired: dashed,
  running: <circle cx="7" cy="7" r="4.5" fill="var(--go)" />,
  waiting: diamond,
  connecting: (
    <>
      <circle cx="7" cy="7" r="4.25" fill="none" stroke="var(--info)" strokeWidth="1.5" />
      <path d="M7 2.75a4.25 4.25 0 0 1 0 8.5z" fill="var(--info)" />
    </>
  ),
  idle: <circle cx="7" cy="7" r="4" fill="none" stroke="var(--text3)" strokeWidth="1.5" />,
  writes: <path d="M7 1.4 12.6 7 7 12.6 1.4 7z" fill="none" stroke="var(--wait)" strokeWidth="1.5" />,
  info: (
    <>
      <circle cx="7" cy="7" r="5.75" fill="none" stroke="var(--info)" strokeWidth="1.4" />
      <path d="M7 6.2v3.9M7 3.9v.2" stroke="var(--info)" strokeWidth="1.5" />
    </>
  ),
} satisfies Record<string, ReactNode>

export type DecisionMarkName = keyof typeof decisionDrawings

export function DecisionMark({ name, ...options }: { readonly name: DecisionMarkName } & MarkOptions) {
  return <Mark {...options}>{decisionDrawings[name]}</Mark>
}

function Mark({ size = 14, label, children }: MarkOptions & { readonly children: ReactNode }) {
  const said = label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label }
  return (
    <svg className="mark" width={size} height={size} viewBox="0 0 14 14" overflow="visible" {...said}>
      {children}
    </svg>
  )
}

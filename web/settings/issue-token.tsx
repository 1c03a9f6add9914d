/** A new token. Its text is shown once. */
import { type SyntheticEvent, useState } from 'react'
import { toolsetChoices } from '../../src/api/toolsets.ts'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { useSessions } from '../hub/hub-data.ts'
import { isOver } from '../../src/api/session-status.ts'
import { Sheet } from '../parts/sheet.tsx'
import type { Token } from './token-words.ts'

export type IssuedToken = Token & { readonly token: string }

const expiries = [
  ['', 'Never'],
  ['1d', 'In a day'],
  ['30d', 'In 30 days'],
  ['90d', 'In 90 days'],
  ['365d', 'In a year'],
] as const

export function IssueToken({ onIssued, onClose }: { onIssued(issued: IssuedToken): void; onClose(): void }) {
  const { call } = useHub()
  const isLost = useIsLost()
  const { value: sessions = [] } = useSessions()
  const living = sessions.filter(({ status }) => !isOver(status))
  const [label, setLabel] = useState('')
  const [role, setRole] = useState<Token['role']>('human')
  const [session, setSession] = useState('')
  const [toolset, setToolset] = useState('')
  const [expiry, setExpiry] = useState('')
  const [why, setWhy] = useState<string>()

  async function issue(event: SyntheticEvent): Promise<void> {
    event.preventDefault()
    try {
      const args = {
        role,
        ...(label !== '' && { label }),
        ...(expiry !== '' && { expires_in: expiry }),
        ...(role === 'agent' && { session: session || living[0]?.name }),
        ...(role === 'human' && toolset !== '' && { toolsets: [toolset] }),
      }
      onIssued(await call<IssuedToken>('issue_token', args))
      onClose()
    } catch (error) {
      setWhy(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <Sheet title="Issue a token" className="small" onClose={onClose}>
      <form onSubmit={(event) => void issue(event)}>
        <div className="sheet-b set-form">
          <div className="field">
            <label htmlFor="token-label">What it is for</label>
            <span className="input">
              <input
                id="token-label"
                maxLength={200}
                placeholder="editor"
                autoComplete="off"
                value={label}
                onChange={(event) => setLabel(event.target.value)}
              />
            </span>
          </div>
          <div className="field">
            <span className="lab" id="token-role">
              Who uses it
            </span>
            <span className="seg" role="group" aria-labelledby="token-role">
              <button type="button" aria-pressed={role === 'human'} onClick={() => setRole('human')}>
                A person or a program of theirs
              </button>
              <button type="button" aria-pressed={role === 'agent'} onClick={() => setRole('agent')}>
                An agent
              </button>
            </span>
          </div>
          {role === 'agent' ? (
            <Select label="Its session" id="token-session" value={session} onChange={setSession}>
              {living.map(({ id, name }) => (
                <option key={id} value={name}>
                  {name}
                </option>
              ))}
            </Select>
          ) : (
            <Select label="Tools it lists" id="token-toolset" value={toolset} onChange={setToolset}>
              <option value="">essentials, unless it asks for others</option>
              {toolsetChoices
                .filter((name) => name !== 'essentials')
                .map((name) => (
                  <option key={name}>{name}</option>
                ))}
            </Select>
          )}
          <Select label="Expires" id="token-expiry" value={expiry} onChange={setExpiry}>
            {expiries.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </Select>
          {why !== undefined && (
            <p className="stop" role="alert">
              {why}
            </p>
          )}
        </div>
        <footer className="row sheet-f">
          <span className="grow" />
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
          <button className="btn primary" disabled={isLost || (role === 'agent' && living.length === 0)}>
            Issue
          </button>
        </footer>
      </form>
    </Sheet>
  )
}

interface SelectProps {
  readonly id: string
  readonly label: string
  readonly value: string
  onChange(value: string): void
  readonly children: React.ReactNode
}

function Select({ id, label, value, onChange, children }: SelectProps) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <span className="input">
        <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
          {children}
        </select>
      </span>
    </div>
  )
}

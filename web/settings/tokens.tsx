/** Who may connect: the tokens that are valid, new ones, and logins for other devices. */
import { useState } from 'react'
import { useHub, useIsLost, useLive } from '../hub/hub-context.tsx'
import { readToken } from '../login/token.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Icon } from '../parts/icons.tsx'
import { useNow } from '../parts/use-now.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { statusUri } from './hub-status.ts'
import { IssueToken, type IssuedToken } from './issue-token.tsx'
import { Issued } from './issued.tsx'
import { LogInDevice } from './log-in-device.tsx'
import { SettingSection } from './setting-section.tsx'
import { type Token, expiryWords, isValid, lastUsedWords, tokenIdIn } from './token-words.ts'

type Dialog = { readonly is: 'issue' | 'device' } | { readonly is: 'revoke'; readonly token: Token }

export function Tokens() {
  const isLost = useIsLost()
  const [dialog, setDialog] = useState<Dialog>()
  const [issued, setIssued] = useState<IssuedToken>()
  const { value: tokens, refused } = useTokens()
  const now = useNow(10_000)
  const own = tokenIdIn(readToken() ?? '')
  const valid = (tokens ?? []).filter((token) => isValid(token, now))
  const rows = [...valid.filter(({ id }) => id === own), ...valid.filter(({ id }) => id !== own)]
  const close = () => setDialog(undefined)
  return (
    <SettingSection
      title="Tokens"
      about="Anyone who holds a token acts as you. Agents get one of their own for each session."
      actions={
        <>
          <button className="btn" disabled={isLost} onClick={() => setDialog({ is: 'device' })}>
            <Icon name="phone" size={14} />
            Log in a phone
          </button>
          <button className="btn" disabled={isLost} onClick={() => setDialog({ is: 'issue' })}>
            <Icon name="plus" size={14} />
            Issue token
          </button>
        </>
      }
    >
      {issued && <Issued issued={issued} onDone={() => setIssued(undefined)} />}
      {refused !== undefined && <p className="stop">{refused}</p>}
      <table className="table">
        <thead>
          <tr>
            <th>Label</th>
            <th>Role</th>
            <th className="set-c">Toolsets</th>
            <th>Last used</th>
            <th className="set-c">Expires</th>
            <th>
              <span className="sr">Revoke</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((token) => (
            <tr key={token.id}>
              <td className="set-label">
                <span className="w6">
                  <VisibleText text={token.label ?? token.id} />
                </span>
                {token.id === own && <span className="chip info">this browser</span>}
              </td>
              <td>{token.role}</td>
              <td className="t2 set-c">
                {token.role === 'agent' ? 'its own compositor' : (token.toolsets?.join(', ') ?? 'essentials')}
              </td>
              <td className="t2 num nowrap">{token.id === own ? 'now' : lastUsedWords(token, now)}</td>
              <td className="t2 num nowrap set-c">{expiryWords(token)}</td>
              <td className="r">
                <button
                  className="btn ghost danger"
                  disabled={isLost}
                  aria-label={`Revoke ${token.label ?? token.id}`}
                  onClick={() => setDialog({ is: 'revoke', token })}
                >
                  Revoke…
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {dialog?.is === 'issue' && <IssueToken onIssued={setIssued} onClose={close} />}
      {dialog?.is === 'device' && <LogInDevice onClose={close} />}
      {dialog?.is === 'revoke' && <RevokeToken token={dialog.token} isOwn={dialog.token.id === own} onClose={close} />}
    </SettingSection>
  )
}

/** Tokens have no resource of their own. The status of the hub changes with them. */
function useTokens() {
  return useLive('tokens', ({ call }) => ({
    uris: [statusUri],
    everyMs: 1_000,
    async read(signal) {
      const all: Token[] = []
      let cursor: string | undefined
      do {
        const page = await call<{ tokens: readonly Token[]; next_cursor?: string }>(
          'list_tokens',
          { limit: 1_000, ...(cursor !== undefined && { cursor }) },
          signal,
        )
        all.push(...page.tokens)
        cursor = page.next_cursor
      } while (cursor !== undefined)
      return all.toSorted(byRole)
    },
  }))
}

/** People first, then the newest. */
function byRole(one: Token, other: Token): number {
  return other.role.localeCompare(one.role) || other.created_at.localeCompare(one.created_at)
}

interface RevokeProps {
  readonly token: Token
  readonly isOwn: boolean
  onClose(): void
}

function RevokeToken({ token, isOwn, onClose }: RevokeProps) {
  const { call } = useHub()
  const name = token.label ?? token.id
  return (
    <Confirm
      title={`Revoke ${name}`}
      text={
        isOwn
          ? 'This browser uses it. You will have to log in again.'
          : 'Its users are cut off at once, and it cannot be made valid again.'
      }
      action="Revoke"
      onConfirm={() => call('revoke_token', { id: token.id })}
      onClose={onClose}
    />
  )
}

/** The settings of a connector, as they are saved. Secrets are names of variables. */
import type { ReactNode } from 'react'
import type { ConnectorDetail } from '../../src/api/connector.ts'
import { PageLink } from '../app/link.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { targetOf } from './connector-state.ts'
import { Variable } from './output.tsx'

export function ConnectorFacts({ connector }: { readonly connector: ConnectorDetail }) {
  const { transport, headers, options, strict, login, consent } = connector
  const { env, ...others } = options
  return (
    <dl className="facts">
      <MainFacts connector={connector} />
      {transport !== 'stdio' && (
        <Fact name="Login">
          {login?.is === 'wanted' ? 'wanted' : login ? 'kept by the hub' : <span className="t3">none</span>}
        </Fact>
      )}
      {Object.entries(headers ?? {}).map(([name, value]) => (
        <Fact key={name} name="Header">
          <code>
            <VisibleText text={`${name}: ${value}`} />
          </code>
        </Fact>
      ))}
      {Object.entries(env ?? {}).map(([name, value]) => (
        <Fact key={name} name="Environment">
          <code>
            <VisibleText text={`${name}=${value}`} />
          </code>
        </Fact>
      ))}
      {Object.entries(others).map(([name, value]) => (
        <Fact key={name} name={name}>
          <code>
            <VisibleText text={typeof value === 'string' ? value : JSON.stringify(value)} />
          </code>
        </Fact>
      ))}
      {consent?.is === 'given' && <Fact name="Outside of sandboxes">allowed by {consent.by}</Fact>}
      <Fact name="Protocol">{strict ? 'checked strictly' : 'not checked'}</Fact>
    </dl>
  )
}

/** The settings that matter most when the connector does not work. */
export function MainFacts({ connector }: { readonly connector: ConnectorDetail }) {
  const { transport, variables, sessions } = connector
  return (
    <>
      <Fact name={transport === 'stdio' ? 'Command' : 'Address'}>
        <code>
          <VisibleText text={targetOf(connector)} />
        </code>
      </Fact>
      <Fact name="Variables">
        {variables.length === 0 ? (
          <span className="t3">none</span>
        ) : (
          variables.map((variable) => <Variable key={variable.name} variable={variable} />)
        )}
      </Fact>
      <Fact name="Used by">
        {sessions.length === 0 && <span className="t3">no session</span>}
        {sessions.map((session) => (
          <PageLink key={session} className="link used-link" to={{ is: 'session', name: session }}>
            {session}
          </PageLink>
        ))}
      </Fact>
    </>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

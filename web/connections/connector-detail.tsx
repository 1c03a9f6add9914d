/** One connector: its state, its tools, the sessions that use it, and the actions on it. */
import { useState } from 'react'
import * as Menu from '@radix-ui/react-dropdown-menu'
import type { ConnectorDetail, ConnectorView } from '../../src/api/connector.ts'
import { useKeys } from '../app/keys.ts'
import { PageLink } from '../app/link.tsx'
import { showFailure } from '../app/toasts.tsx'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { Icon } from '../parts/icons.tsx'
import { DecisionMark } from '../parts/marks.tsx'
import { Tabs, type TabsProps, withCount } from '../parts/tabs.tsx'
import { useIsPhone } from '../parts/use-is-phone.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { ConnectorFacts, MainFacts } from './connector-facts.tsx'
import { ConnectorForm } from './connector-form.tsx'
import { type ConnectorState, failureOf, kindOf, looks, stateOf } from './connector-state.ts'
import { PromptList, ResourceList } from './offered-lists.tsx'
import { OutputPanel, OutputStrip } from './output.tsx'
import { RemoveConnector } from './remove-connector.tsx'
import { TestResult } from './test-outcome.tsx'
import { ToolList } from './tool-list.tsx'
import { UsedBy } from './used-by.tsx'
import { settingsOf, useConnector } from './use-connectors.ts'
import { type ConnectorTest, useTest } from './use-test.ts'

type TabName = 'tools' | 'output' | 'resources' | 'prompts' | 'used' | 'settings'
type OpenDialog = 'edit' | 'remove'

export function ConnectorDetailView({ listed }: { readonly listed: ConnectorView }) {
  const { name } = listed
  const { value } = useConnector(name)
  const isLost = useIsLost()
  const isPhone = useIsPhone()
  const test = useTest()
  const [dialog, setDialog] = useState<OpenDialog>()
  const [chosen, setChosen] = useState<TabName>()
  // The list is updated sooner than the details.
  const connector: ConnectorDetail = { upstreams: [], ...value, ...listed }
  const state = stateOf(connector)
  const isBroken = state === 'failed' || state === 'given-up'
  const tabs = tabsOf(connector, isPhone || isBroken)
  const tab = tabs.find(({ id }) => id === (chosen ?? (isBroken ? 'output' : 'tools')))?.id ?? 'tools'
  useKeys({
    t: () => void test.run({ name }),
    e: () => isLost || setDialog('edit'),
  })
  return (
    <article className="pane detail" aria-label={name}>
      <Head connector={connector} state={state} test={test} onOpen={setDialog} />
      <Tabs<TabName> label={`Parts of ${name}`} className="tabs" tabs={tabs} chosen={tab} onChoose={setChosen} />
      <TestResult test={test} />
      <LoginNotice connector={connector} />
      <ConsentNotice connector={connector} />
      {tab === 'tools' ? (
        <ToolList connector={connector} empty={<NotListed isLoading={!value} test={test} name={name} />} />
      ) : (
        <div className="scroll d-body c-fail" tabIndex={0} role="tabpanel" aria-label={tab}>
          {tab === 'output' && (
            <>
              {isBroken && (
                <p className="fail-why w6">
                  <VisibleText text={failureOf(connector)} />
                </p>
              )}
              <OutputPanel connector={connector} />
              <dl className="facts">
                <MainFacts connector={connector} />
              </dl>
            </>
          )}
          {tab === 'resources' && connector.offers && <ResourceList offers={connector.offers} />}
          {tab === 'prompts' && connector.offers && <PromptList offers={connector.offers} />}
          {tab === 'used' && <UsedBy connector={connector} />}
          {tab === 'settings' && <ConnectorFacts connector={connector} />}
        </div>
      )}
      {tab !== 'output' && <OutputStrip connector={connector} />}
      {dialog === 'edit' && (
        <ConnectorForm
          connector={settingsOf(connector)}
          onClose={() => setDialog(undefined)}
          onSaved={() => setDialog(undefined)}
        />
      )}
      {dialog === 'remove' && <RemoveConnector connector={connector} onClose={() => setDialog(undefined)} />}
    </article>
  )
}

function tabsOf({ offers, tools, sessions }: ConnectorDetail, hasOutput: boolean): TabsProps<TabName>['tabs'] {
  return [
    { id: 'tools', title: withCount('Tools', offers?.tools.length ?? tools?.length) },
    ...(hasOutput ? [{ id: 'output', title: 'Output' } as const] : []),
    ...(offers
      ? [
          {
            id: 'resources',
            title: withCount('Resources', offers.resources.length + offers.resource_templates.length),
          } as const,
          { id: 'prompts', title: withCount('Prompts', offers.prompts.length) } as const,
        ]
      : []),
    { id: 'used', title: withCount('Used by', sessions.length) },
    { id: 'settings', title: 'Settings' },
  ]
}

interface HeadProps {
  readonly connector: ConnectorDetail
  readonly state: ConnectorState
  readonly test: ConnectorTest
  onOpen(dialog: OpenDialog): void
}

function Head({ connector, state, test, onOpen }: HeadProps) {
  const { name, enabled, upstream } = connector
  const { call } = useHub()
  const isLost = useIsLost()
  const [isBusy, setIsBusy] = useState(false)
  const { words, mark, tone } = looks[state]
  const isBroken = state === 'failed' || state === 'given-up'
  async function act(tool: string, args: Readonly<Record<string, unknown>>): Promise<void> {
    setIsBusy(true)
    await call(tool, args).catch(showFailure)
    setIsBusy(false)
  }
  const restart = () => act('restart_connector', { name })
  const toggle = () => act('save_connector', { ...settingsOf(connector), enabled: !enabled })
  const run = () => void test.run({ name })
  return (
    <header className="d-head c-head">
      <PageLink className="icon-btn phone-only" to={{ is: 'connections', id: undefined }} aria-label="Back">
        <Icon name="back" size={20} />
      </PageLink>
      <DecisionMark name={mark} size={16} />
      <h2 className="cut">{name}</h2>
      <span className={`chip ${tone}`}>{words}</span>
      <span className="s12 t3 desk-only cut c-meta">
        {kindOf(connector)}
        {upstream.version !== undefined && (
          <>
            <span className="sep" />
            MCP {upstream.version}
          </>
        )}
        {test.outcome?.ok === true && (
          <>
            <span className="sep" />
            {test.outcome.ms} ms
          </>
        )}
      </span>
      <span className="grow" />
      {isBroken ? (
        <button className="btn primary" disabled={isLost || isBusy} onClick={() => void restart()}>
          {isBusy ? 'Starting…' : 'Start again'}
        </button>
      ) : (
        <button className="btn desk-only" disabled={isLost || test.isRunning} onClick={run}>
          Test<kbd aria-hidden="true">T</kbd>
        </button>
      )}
      <button className="btn desk-only" disabled={isLost} onClick={() => onOpen('edit')}>
        Edit<kbd aria-hidden="true">E</kbd>
      </button>
      {!isBroken && (
        <button
          className="switch"
          role="switch"
          aria-checked={enabled}
          aria-label="On"
          disabled={isLost || isBusy}
          onClick={() => void toggle()}
        />
      )}
      <Menu.Root>
        <Menu.Trigger className="icon-btn" aria-label="More">
          <Icon name="more" />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Content className="menu" align="end" sideOffset={4} collisionPadding={8}>
            <Menu.Item disabled={isLost || test.isRunning} onSelect={run}>
              Test
            </Menu.Item>
            <Menu.Item disabled={isLost} onSelect={() => onOpen('edit')}>
              Edit
            </Menu.Item>
            {connector.upstreams.length > 0 && (
              <Menu.Item disabled={isLost} onSelect={() => void restart()}>
                Restart in all sessions
              </Menu.Item>
            )}
            {isBroken && (
              <Menu.Item disabled={isLost} onSelect={() => void toggle()}>
                Switch off
              </Menu.Item>
            )}
            {connector.login?.is === 'kept' && (
              <Menu.Item disabled={isLost} onSelect={() => void act('log_out_connector', { name })}>
                Log out at its server
              </Menu.Item>
            )}
            {connector.consent?.is === 'given' && (
              <Menu.Item disabled={isLost} onSelect={() => void act('allow_connector', { name, allowed: false })}>
                Do not allow outside of sandboxes
              </Menu.Item>
            )}
            <Menu.Item disabled={isLost} onSelect={() => onOpen('remove')}>
              Remove…
            </Menu.Item>
          </Menu.Content>
        </Menu.Portal>
      </Menu.Root>
    </header>
  )
}

/** Shows only web addresses, because the login server is not trusted. */
function LoginNotice({ connector: { login, name } }: { readonly connector: ConnectorDetail }) {
  if (login?.is !== 'wanted' || login.address === undefined || !/^https?:\/\//.test(login.address)) return null
  return (
    <div className="c-test wait row">
      <DecisionMark name="waiting" />
      <span className="grow">
        The server of {name} wants you to log in. You come back here, and all its sessions share the login.
      </span>
      <a className="btn" href={login.address} target="_blank" rel="noopener noreferrer">
        Log in
      </a>
    </div>
  )
}

function ConsentNotice({ connector: { name, consent } }: { readonly connector: ConnectorDetail }) {
  const { call } = useHub()
  const isLost = useIsLost()
  if (consent?.is !== 'wanted') return null
  return (
    <div className="c-test wait row">
      <DecisionMark name="waiting" />
      <span className="grow">
        A confined session is to use {name}, whose program runs as your user, outside of the sandbox. It does not start
        until you allow it.
      </span>
      <button
        className="btn"
        disabled={isLost}
        onClick={() => void call('allow_connector', { name }).catch(showFailure)}
      >
        Allow
      </button>
    </div>
  )
}

interface NotListedProps {
  readonly isLoading: boolean
  readonly test: ConnectorTest
  readonly name: string
}

function NotListed({ isLoading, test, name }: NotListedProps) {
  const isLost = useIsLost()
  if (isLoading) return <div className="c-empty grow" />
  return (
    <div className="c-empty grow">
      <p className="t2">The hub has not seen its tools yet. A test starts it, asks what it offers, and ends it.</p>
      <button className="btn" disabled={isLost || test.isRunning} onClick={() => void test.run({ name })}>
        Test it
      </button>
    </div>
  )
}

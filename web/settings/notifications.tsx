/** The notifications of this browser, and the devices that get push messages. */
import { useEffect, useState } from 'react'
import type { PushList, PushSubscriptionView } from '../../src/api/push.ts'
import { showFailure, showToast } from '../app/toasts.tsx'
import { useHub, useIsLost, useLive } from '../hub/hub-context.tsx'
import { type Kind, setPreference, usePreferences } from '../notifications/preferences.ts'
import { canPush, ownSubscription, turnOffPush, turnOnPush } from '../notifications/push.ts'
import { clock } from '../parts/time.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { SettingSection } from './setting-section.tsx'

const rows: readonly { readonly kind: Kind; readonly words: string; readonly note: string; readonly push: boolean }[] =
  [
    { kind: 'approval', words: 'A call waits for you', note: 'once per question', push: true },
    { kind: 'question', words: 'An agent asks something', note: 'in its terminal or thread', push: true },
    { kind: 'failure', words: 'A session ended', note: 'only if it failed', push: false },
  ]

export function Notifications() {
  const { call } = useHub()
  const isLost = useIsLost()
  const { value: list } = useLive('push', ({ call: read }) => ({
    uris: ['resource://push'],
    read: (signal) => read<PushList>('list_push_subscriptions', {}, signal),
  }))
  const [own, setOwn] = useState<string>()
  useEffect(() => void ownSubscription(call).then((mine) => setOwn(mine?.id), showFailure), [call])
  const devices = list?.subscriptions ?? []
  const isOn = devices.some(({ id }) => id === own)

  async function switchPush(): Promise<void> {
    if (isOn && own !== undefined) await turnOffPush(call, own)
    else setOwn((await turnOnPush(call)).id)
  }
  return (
    <>
      <SettingSection title="Notifications" about="Nothing is sent for a question that you are looking at.">
        <table className="table ntab">
          <thead>
            <tr>
              <th>When</th>
              <th className="c">This browser</th>
              <th className="c">Push</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.kind} {...row} />
            ))}
          </tbody>
        </table>
        <p className="s12 t3 set-note">
          This browser notifies you while the page is open in a tab. Push messages arrive when it is closed, too; they
          name the session and the tool and nothing else.
        </p>
      </SettingSection>
      <SettingSection
        title="Push"
        about="For the installed page on a phone or a computer."
        actions={
          <button className="btn" disabled={isLost || !canPush()} onClick={() => void switchPush().catch(showFailure)}>
            {isOn ? 'Turn off on this device' : 'Turn on on this device'}
          </button>
        }
      >
        {!canPush() && (
          <p className="t2 set-note">
            This browser takes push messages only from pages over https. On an iPhone, add the page to the home screen
            first.
          </p>
        )}
        {devices.length > 0 && <Devices devices={devices} own={own} />}
      </SettingSection>
    </>
  )
}

function Row({ kind, words, note, push }: (typeof rows)[number]) {
  const preferences = usePreferences()
  const isOn = preferences[kind]
  return (
    <tr>
      <td>
        {words} <span className="t3 s12">{note}</span>
      </td>
      <td className="c">
        <button
          className="switch"
          role="switch"
          aria-checked={isOn}
          aria-label={`${words}, this browser`}
          onClick={() => void setPreference(kind, !isOn).catch(showFailure)}
        />
      </td>
      <td className="c t3 s12">{push ? 'yes' : 'no'}</td>
    </tr>
  )
}

function Devices({
  devices,
  own,
}: {
  readonly devices: readonly PushSubscriptionView[]
  readonly own: string | undefined
}) {
  const { call } = useHub()
  const isLost = useIsLost()
  async function test(id: string): Promise<void> {
    const { failed } = await call<{ failed: readonly { reason: string }[] }>('test_push', { id })
    const [failure] = failed
    if (failure) throw new Error(`Not sent: ${failure.reason}.`)
    showToast('allow', 'The push service has taken the test message.')
  }
  return (
    <table className="table">
      <thead>
        <tr>
          <th>Device</th>
          <th className="set-c">Push service</th>
          <th>Last sent</th>
          <th>
            <span className="sr">Test and remove</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {devices.map(({ id, label = 'A browser', service, sent_at: at, last_error: error }) => (
          <tr key={id}>
            <td className="set-label">
              <span className="w6">
                <VisibleText text={label} />
              </span>
              {id === own && <span className="chip info">this device</span>}
            </td>
            <td className="t2 set-c">{service}</td>
            <td className={error === undefined ? 't2 num' : 'stop'}>
              {error ?? (at === undefined ? 'never' : clock(at, { seconds: false }))}
            </td>
            <td className="r nowrap">
              <button
                className="btn ghost"
                disabled={isLost}
                aria-label={`Send a test to ${label}`}
                onClick={() => void test(id).catch(showFailure)}
              >
                Test
              </button>
              <button
                className="btn ghost danger"
                disabled={isLost}
                aria-label={`Remove ${label}`}
                onClick={() => void call('unsubscribe_push', { id }).catch(showFailure)}
              >
                Remove
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

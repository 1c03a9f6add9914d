/** The policies: of the hub, of templates and of sessions. */
import * as Menu from '@radix-ui/react-dropdown-menu'
import { isOver } from '../../src/api/session-status.ts'
import { PageLink } from '../app/link.tsx'
import { go } from '../app/router.ts'
import { useLive } from '../hub/hub-context.tsx'
import { useSessions } from '../hub/hub-data.ts'
import { Icon } from '../parts/icons.tsx'
import { type ListedPolicy, usePolicies, versionName } from './policy-data.ts'
import { usePolicyDraft } from './policy-drafts.ts'
import { type PolicyPlace, idOf, placeIn, titleOf } from './policy-place.ts'

export function PolicyList({ shown }: { readonly shown: string | undefined }) {
  const { value: policies } = usePolicies()
  const isListed = policies?.some((policy) => idOf(policy) === shown) ?? true
  return (
    <>
      <div className="row gh q-gh">
        <h2>Policies</h2>
        <span className="grow" />
        <NewPolicy policies={policies ?? []} />
      </div>
      {!policies && <div className="loading-row" />}
      <ul>
        {policies?.map((policy) => (
          <PolicyItem key={idOf(policy)} policy={policy} isShown={idOf(policy) === shown} />
        ))}
        {!isListed && shown !== undefined && <NewItem id={shown} />}
      </ul>
    </>
  )
}

function PolicyItem({ policy, isShown }: { readonly policy: ListedPolicy; readonly isShown: boolean }) {
  const draft = usePolicyDraft(idOf(policy))
  return (
    <li>
      <PageLink
        className="s-item"
        data-item
        to={{ is: 'policy', id: idOf(policy) }}
        {...(isShown && { 'aria-current': 'true' })}
      >
        <span className={isShown ? 'w6 cut' : 'cut'}>{titleOf(policy)}</span>
        <span className="grow" />
        {policy.fault !== undefined && <span className="chip stop">broken</span>}
        {draft && <span className="chip info">edited</span>}
        <span className="s12 t3 num">{versionName(policy)}</span>
      </PageLink>
    </li>
  )
}

/** One that is opened and not saved yet. */
function NewItem({ id }: { readonly id: string }) {
  return (
    <li>
      <PageLink className="s-item" data-item to={{ is: 'policy', id }} aria-current="true">
        <span className="w6 cut">{titleOf(placeIn(id))}</span>
        <span className="grow" />
        <span className="s12 t3">none</span>
      </PageLink>
    </li>
  )
}

/** Opens the policy of a template or a session that has none yet. */
function NewPolicy({ policies }: { readonly policies: readonly ListedPolicy[] }) {
  const { value: sessions = [] } = useSessions()
  const { value: templates = [] } = useTemplateNames()
  const known = new Set(policies.map(idOf))
  const places: readonly PolicyPlace[] = [
    ...templates.map((target) => ({ scope: 'template' as const, target })),
    ...sessions
      .filter(({ status }) => !isOver(status))
      .map(({ name }) => ({ scope: 'session' as const, target: name })),
  ].filter((place) => !known.has(idOf(place)))
  return (
    <Menu.Root>
      <Menu.Trigger className="icon-btn sm" aria-label="New policy" disabled={places.length === 0}>
        <Icon name="plus" size={14} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Content className="menu pol-menu" align="start" collisionPadding={8}>
          {places.map((place) => (
            <Menu.Item key={idOf(place)} onSelect={() => go({ is: 'policy', id: idOf(place) })}>
              {titleOf(place)}
            </Menu.Item>
          ))}
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  )
}

function useTemplateNames() {
  return useLive<readonly string[]>('template-names', ({ call }) => ({
    uris: ['resource://templates'],
    async read(signal) {
      const { templates } = await call<{ templates: readonly { readonly name: string }[] }>(
        'list_templates',
        {},
        signal,
      )
      return templates.map(({ name }) => name)
    },
  }))
}

/** The sections of the page besides the sessions, in the order of the rail. Adding one is a folder and a line here. */
import { type ComponentType, lazy } from 'react'
import { Approvals } from '../approvals/approvals.tsx'
import type { IconName } from '../parts/icons.tsx'
import type { SectionName } from './router.ts'

export interface SectionProps {
  /** The id of the item that is open in the section. */
  readonly id: string | undefined
  /** How many questions wait for the person. */
  readonly waiting: number
}

export interface Section {
  readonly is: SectionName
  readonly title: string
  readonly icon: IconName
  /** After `g`. */
  readonly key: string
  readonly View: ComponentType<SectionProps>
}

export const sections: readonly Section[] = [
  { is: 'approvals', title: 'Approvals', icon: 'approvals', key: 'a', View: Approvals },
  {
    is: 'connections',
    title: 'Connections',
    icon: 'plug',
    key: 'c',
    View: lazy(() => import('../connections/connections.tsx')),
  },
  { is: 'policy', title: 'Policy', icon: 'policy', key: 'p', View: lazy(() => import('../policy/policy.tsx')) },
  {
    is: 'activity',
    title: 'Activity',
    icon: 'activity',
    key: 'v',
    View: lazy(() => import('../activity/activity.tsx')),
  },
  {
    is: 'repositories',
    title: 'Repositories',
    icon: 'repositories',
    key: 'r',
    View: lazy(() => import('../repositories/repositories.tsx')),
  },
  {
    is: 'settings',
    title: 'Settings',
    icon: 'settings',
    key: ',',
    View: lazy(() => import('../settings/settings.tsx')),
  },
]

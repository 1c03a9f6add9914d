/** Decides whether a session is confined, and by which sandbox. Pure. */
import type { Limited, Sandbox, SandboxChoice } from '../api/sandbox.ts'
import { HubError } from '../base/hub-error.ts'
import { socatMissing } from './inside.ts'
import type { Availability } from './probe.ts'

/** The setting SIGNALBOX_SANDBOX. */
export type SandboxSetting = 'required' | 'preferred' | 'off'

export interface ChosenFrom {
  readonly setting: SandboxSetting
  /** The choice of the request. */
  readonly asked: SandboxChoice | undefined
  readonly template: {
    readonly name: string
    readonly sandbox?: SandboxChoice | undefined
    readonly isSandboxShipped: boolean
  }
  readonly backend: 'holder' | 'tmux'
  readonly availability: Availability
}

export type Choice =
  | { readonly is: 'confined'; readonly sandbox: Sandbox; readonly unlimited: readonly Limited[] }
  /** `warning`: why a sandbox that it should have had is missing. */
  | { readonly is: 'open'; readonly warning?: string }

/**
 * A sandbox that a person named, in the request or in a template of their own, always holds. That of a shipped template,
 * also in a person's copy, holds under `required`, is left out with a warning where it cannot be made under `preferred`, and is not used under
 * `off`. Throws if the session must not start.
 */
export function chooseSandbox(from: ChosenFrom): Choice {
  const { setting, asked, template } = from
  const choice = asked ?? template.sandbox
  const isNamed = asked !== undefined || !template.isSandboxShipped
  if (choice === undefined || choice === 'off') return open(from, choice)
  if (!isNamed && setting === 'off') return { is: 'open' }
  const { availability } = from
  const obstacle = obstacleTo(choice, from)
  if (obstacle === undefined && availability.is === 'available') {
    return { is: 'confined', sandbox: choice, unlimited: availability.limits.unlimited }
  }
  if (isNamed || setting === 'required') {
    throw new HubError('unavailable', `"sandbox": the session cannot be confined, so it does not start. ${obstacle}`)
  }
  return { is: 'open', warning: `It is not confined: it can read your files and your token. ${obstacle}` }
}

function open({ setting, template }: ChosenFrom, choice: 'off' | undefined): Choice {
  if (setting !== 'required') return { is: 'open' }
  const why = choice === 'off' ? 'is "off"' : `is missing: the template "${template.name}" has none`
  throw new HubError(
    'forbidden',
    `"sandbox" ${why}, and this hub confines every session (SIGNALBOX_SANDBOX=required). Name one, such as {"network": "all"}.`,
  )
}

/** Why this sandbox cannot be made here, and what to do. */
function obstacleTo({ network }: Sandbox, { backend, availability }: ChosenFrom): string | undefined {
  if (availability.is === 'missing') return availability.reason
  if (backend === 'tmux') return 'A program in tmux cannot be confined. Use the backend "holder".'
  if (network !== 'all' && availability.socat === undefined) {
    return socatMissing
  }
  return undefined
}

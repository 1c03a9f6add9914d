/** Gives a session its policies, connectors and chat room, after its record is stored and before its program starts. */
import type { MatrixStatus } from '../api/chat.ts'
import type { ConnectorUse, LegacyMcps } from '../api/connector.ts'
import type { StatedPolicy } from '../api/policy.ts'
import type { MatrixRoom } from '../api/template.ts'
import { messageOf } from '../base/hub-error.ts'
import type { SignalSender } from '../feature/feature.ts'
import type { Draft, SessionSpec } from './draft.ts'
import type { SessionEnds } from './session-ends.ts'

/** The part of the policies that the start of a session needs. */
export interface SessionPolicies {
  storeTemplatePolicy(session: string, template: string, policy: StatedPolicy): Promise<void>
  setSessionPolicy(session: string, source: string, by: string): Promise<void>
  ownOf(session: string): Promise<string | undefined>
}

/** The part of the connectors that the start of a session needs. */
export interface SessionConnectors {
  bindAll(session: string, uses: readonly ConnectorUse[], by?: string): Promise<readonly string[]>
  bindLegacyMap(session: string, map: LegacyMcps, by?: string): Promise<void>
  usesOf(session: string): Promise<readonly ConnectorUse[]>
}

/** The part of the chat that the start of a session needs. */
export interface SessionChat {
  bridge(session: string, room: MatrixRoom): Promise<void>
  /** `undefined`: it is not bridged. */
  matrixOf(session: string): MatrixStatus | undefined
}

export interface EquipOptions {
  readonly ends: Pick<SessionEnds, 'note'>
  readonly policies: SessionPolicies
  readonly connectors: SessionConnectors
  readonly chat: SessionChat
  readonly signals: SignalSender
}

export type EquippingSpec = Pick<SessionSpec, 'connectors' | 'mcps' | 'policy' | 'by'>

interface Equipment {
  readonly connectors: readonly ConnectorUse[]
  /** The person who named the connectors for this session. `undefined`: its template did, or the session before. */
  readonly namedBy?: string | undefined
  readonly mcps?: LegacyMcps | undefined
  /** The session's own policy, in addition to those of the hub and the template. */
  readonly policy: string | undefined
}

/** If a session cannot get everything it was to have, it fails and does not start. */
export function createEquipping({ ends, policies, connectors, chat, signals }: EquipOptions) {
  /** The settings that a resumed session inherits from the ended one. */
  async function inheritedFrom(session: string): Promise<Equipment> {
    const [uses, policy] = await Promise.all([connectors.usesOf(session), policies.ownOf(session)])
    return { connectors: uses, policy }
  }

  async function equip({ record: { id, resumedFrom }, found }: Draft, spec: EquippingSpec): Promise<readonly string[]> {
    const { template, source } = found
    const by = spec.by ?? 'the hub'
    const origin = source === 'shipped' ? 'shipped' : 'own'
    await policies.storeTemplatePolicy(id, template.name, { origin, source: template.policy })
    const given: Equipment =
      resumedFrom === undefined
        ? {
            connectors: spec.connectors ?? template.connectors,
            namedBy: spec.connectors && by,
            mcps: spec.mcps,
            policy: spec.policy,
          }
        : await inheritedFrom(resumedFrom)
    if (given.policy !== undefined) await policies.setSessionPolicy(id, given.policy, by)
    const warnings = given.connectors.length > 0 ? await connectors.bindAll(id, given.connectors, given.namedBy) : []
    if (given.mcps) await connectors.bindLegacyMap(id, given.mcps, by)
    if (template.chat?.matrix) await chat.bridge(id, template.chat.matrix)
    if (given.mcps || given.connectors.length > 0) signals.emit('mounts-wanted', { session: id })
    return warnings
  }

  /** Returns what the person has to know about its equipment. */
  return async (draft: Draft, spec: EquippingSpec): Promise<readonly string[]> => {
    try {
      return await equip(draft, spec)
    } catch (error) {
      await ends.note(draft.record.id, () => ({ status: 'failed', lastMessage: messageOf(error) }))
      throw error
    }
  }
}

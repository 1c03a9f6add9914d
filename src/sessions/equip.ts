/** What a session is given besides its program, once its record is there and before the program starts. */
import type { ConnectorUse, LegacyMcps } from '../api/connector.ts'
import { messageOf } from '../base/hub-error.ts'
import type { SessionSpec } from './draft.ts'
import type { TemplateSource } from './launch.ts'
import type { SessionEnds } from './session-ends.ts'
import type { SessionRecord } from './session-store.ts'

export interface Equipment {
  readonly connectors: readonly ConnectorUse[]
  readonly mcps: LegacyMcps | undefined
  /** The session's own, beside those of the hub and the template. */
  readonly policy: string | undefined
  readonly by: string
}

export type Equip = (session: string, equipment: Equipment) => Promise<void>

export interface EquipOptions {
  readonly templates: TemplateSource
  readonly ends: Pick<SessionEnds, 'note'>
  readonly equip: Equip
}

/** A session that cannot have what was asked for does not run without it. */
export function createEquipping({ templates, ends, equip }: EquipOptions) {
  return async ({ id, template }: SessionRecord, spec: SessionSpec): Promise<void> => {
    const connectors = spec.connectors ?? templates.find(template).template.connectors
    try {
      await equip(id, { connectors, mcps: spec.mcps, policy: spec.policy, by: spec.by ?? 'the hub' })
    } catch (error) {
      await ends.note(id, () => ({ status: 'failed', lastMessage: messageOf(error) }))
      throw error
    }
  }
}

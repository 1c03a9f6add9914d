/** A connection of a session as it is being edited, and the calls that save it. */
import type { Binding } from '../../../src/api/connector.ts'
import type { CallTool } from '../../hub/hub.ts'
import { type OverrideTexts, overridesOf, textsOf } from './override-fields.ts'

export interface BoundDraft {
  /** Stays the same while its label is edited. */
  readonly key: string
  readonly connector: string
  /** Empty: the hub makes a label from the connector's name. */
  readonly label: string
  readonly isOn: boolean
  readonly texts: OverrideTexts
  /** As the hub has it. */
  readonly saved?: Binding
}

export function draftOf(saved: Binding): BoundDraft {
  const { label, connector, overrides } = saved
  return { key: label, connector, label, isOn: true, texts: textsOf(overrides), saved }
}

export function newDraft(connector: string): BoundDraft {
  return { key: crypto.randomUUID(), connector, label: '', isOn: true, texts: {} }
}

export function isChanged({ saved, isOn, label, texts }: BoundDraft): boolean {
  if (!saved) return isOn
  return !isOn || label !== saved.label || JSON.stringify(texts) !== JSON.stringify(textsOf(saved.overrides))
}

/** The arguments of bind_connector. Throws a sentence if a text cannot be read. */
export function bindingArguments({ connector, label, texts, saved }: BoundDraft) {
  return {
    connector,
    ...(label.trim() !== '' && { label: label.trim() }),
    overrides: overridesOf(texts, saved?.overrides ?? {}),
    ...(saved && { priority: saved.priority }),
  }
}

/** Frees the labels first, since another connection may want one of them. */
export async function saveBindings(call: CallTool, session: string, drafts: readonly BoundDraft[]): Promise<void> {
  const changed = drafts.filter(isChanged)
  const wanted = changed.filter(({ isOn }) => isOn).map(bindingArguments)
  for (const { saved, isOn, label } of changed) {
    if (saved && (!isOn || label.trim() !== saved.label)) {
      await call('unbind_connector', { session, label: saved.label })
    }
  }
  for (const args of wanted) await call('bind_connector', { session, ...args })
}

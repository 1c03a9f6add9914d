/** A policy under edit: its saved text, the person's text, and how to save it. */
import { useEffect } from 'react'
import { showToast } from '../app/toasts.tsx'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { type PolicyDocument, usePolicy } from './policy-data.ts'
import { keepPolicyDraft, usePolicyDraft } from './policy-drafts.ts'
import { type PolicyPlace, idOf } from './policy-place.ts'
import { type Checked, useCheck } from './use-check.ts'
import { useStateFor } from './use-state-for.ts'

export interface PolicyWork {
  readonly place: PolicyPlace
  readonly document: PolicyDocument | undefined
  /** Why the hub does not show it. */
  readonly refused: string | undefined
  readonly text: string
  readonly isEdited: boolean
  readonly checked: Checked
  /** Why the last save failed. */
  readonly failure: string | undefined
  readonly canSave: boolean
  /** A newer version was saved while the person edited an older one. */
  readonly isOutdated: boolean
  setText(text: string): void
  save(): void
  /** The next save replaces the newest version. */
  keepMine(): void
  dropDraft(): void
}

export function usePolicyWork(place: PolicyPlace): PolicyWork {
  const id = idOf(place)
  const { call } = useHub()
  const isLost = useIsLost()
  const { value: document, refused, refresh } = usePolicy(place)
  const draft = usePolicyDraft(id)
  const [failure, setFailure] = useStateFor<string | undefined>(id, undefined)
  const [isSaving, setIsSaving] = useStateFor(id, false)
  const text = draft?.text ?? document?.source ?? ''
  const checked = useCheck(id, text)
  const isEdited = draft !== undefined && document !== undefined && draft.text !== document.source
  const base = draft?.base ?? document?.version ?? 0

  // It was saved, here or elsewhere.
  const isSaved = draft !== undefined && draft.text === document?.source
  useEffect(() => {
    if (isSaved) keepPolicyDraft(id, undefined)
  }, [id, isSaved])

  async function save(): Promise<void> {
    setIsSaving(true)
    setFailure(undefined)
    try {
      const args = { ...place, source: text, if_version: base }
      const { version } = await call<PolicyDocument>('set_policy', args)
      keepPolicyDraft(id, { base: version, text })
      refresh()
      showToast('allow', `Saved as v${version}`)
    } catch (error) {
      setFailure(error instanceof Error ? error.message.split('\n')[0] : String(error))
    }
    setIsSaving(false)
  }

  const canSave = isEdited && !isLost && !isSaving && checked.fault === undefined
  return {
    place,
    document,
    refused,
    text,
    isEdited,
    checked,
    failure,
    canSave,
    isOutdated: isEdited && base < document.version,
    setText: (next) => keepPolicyDraft(id, next === document?.source ? undefined : { base, text: next }),
    save: () => void (canSave && save()),
    keepMine: () => keepPolicyDraft(id, { base: document?.version ?? base, text }),
    dropDraft: () => keepPolicyDraft(id, undefined),
  }
}

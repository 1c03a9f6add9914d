/** Texts of policies that are not saved yet. They survive a reload and a new login in this tab. */
import { type Store, createStore, useStore } from '../hub/store.ts'
import { keepDraft, readDraft } from '../parts/drafts.ts'

export interface PolicyDraft {
  /** The version that was changed. */
  readonly base: number
  readonly text: string
}

const drafts = new Map<string, Store<PolicyDraft | undefined>>()

export function usePolicyDraft(id: string): PolicyDraft | undefined {
  return useStore(storeOf(id))
}

export function keepPolicyDraft(id: string, draft: PolicyDraft | undefined): void {
  storeOf(id).set(draft)
  keepDraft(keyOf(id), draft ? JSON.stringify(draft) : '')
}

function storeOf(id: string): Store<PolicyDraft | undefined> {
  let store = drafts.get(id)
  if (!store) drafts.set(id, (store = createStore(readKept(id))))
  return store
}

function readKept(id: string): PolicyDraft | undefined {
  const kept = readDraft(keyOf(id))
  return kept === '' ? undefined : (JSON.parse(kept) as PolicyDraft)
}

function keyOf(id: string): string {
  return `policy:${id}`
}

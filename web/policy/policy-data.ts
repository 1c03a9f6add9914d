/** The policies of the hub and what belongs to them, kept up to date. */
import type { Grant } from '../../src/api/approval.ts'
import type { Effect, Proposal } from '../../src/api/policy.ts'
import { useLive } from '../hub/hub-context.tsx'
import { type PolicyPlace, idOf } from './policy-place.ts'

const policiesUri = 'resource://policies'
const templatesUri = 'resource://templates'

export interface ListedPolicy extends PolicyPlace {
  readonly version: number
  readonly origin: PolicyOrigin
  readonly fault?: string
}

export type PolicyOrigin = 'saved' | 'shipped' | 'template-file' | 'none'

export function usePolicies() {
  return useLive<readonly ListedPolicy[]>('policies', ({ call }) => ({
    uris: [policiesUri, templatesUri, 'resource://sessions'],
    everyMs: 500,
    read: async (signal) => (await call<{ policies: readonly ListedPolicy[] }>('list_policies', {}, signal)).policies,
  }))
}

export interface PolicyDocument {
  readonly source: string
  readonly version: number
  readonly origin: PolicyOrigin
  readonly saved_at?: string
  readonly saved_by?: string
  readonly fault?: string
}

export function usePolicy(place: PolicyPlace) {
  return useLive<PolicyDocument>(`policy:${idOf(place)}`, ({ call }) => ({
    uris: [policiesUri, templatesUri],
    read: (signal) => call<PolicyDocument>('get_policy', { ...place }, signal),
  }))
}

export interface PolicyVersion {
  readonly version: number
  readonly saved_at: string
  readonly saved_by: string
  readonly removed: boolean
  readonly summary: string
}

const listedVersions = 50

export function useVersions(place: PolicyPlace) {
  return useLive<readonly PolicyVersion[]>(`policy-versions:${idOf(place)}`, ({ call }) => ({
    uris: [policiesUri],
    async read(signal) {
      const args = { ...place, limit: listedVersions }
      return (await call<{ versions: readonly PolicyVersion[] }>('list_policy_versions', args, signal)).versions
    },
  }))
}

export function useProposals() {
  return useLive<readonly Proposal[]>('policy-proposals', ({ call }) => ({
    uris: ['resource://policies/proposals'],
    read: async (signal) =>
      (await call<{ proposals: readonly Proposal[] }>('list_policy_proposals', {}, signal)).proposals,
  }))
}

export function useGrants() {
  return useLive<readonly Grant[]>('grants', ({ call }) => ({
    uris: ['resource://grants'],
    read: async (signal) => (await call<{ grants: readonly Grant[] }>('list_grants', {}, signal)).grants,
  }))
}

/** The names that rules can use. */
export function useToolNames() {
  return useLive<readonly string[]>('tool-names', ({ call }) => ({
    uris: ['resource://connectors'],
    read: async (signal) => (await call<{ tools: readonly string[] }>('list_tool_names', {}, signal)).tools,
  }))
}

export const effectWords: Readonly<Record<Effect, string>> = {
  allow: 'Allow',
  ask: 'Ask',
  deny: 'Deny',
  abort: 'Abort',
}

/** `v41`, or the origin of the policy if no version was saved. */
export function versionName({ version, origin }: Pick<PolicyDocument, 'version' | 'origin'>): string {
  if (version > 0) return `v${version}`
  return { saved: 'v0', shipped: 'shipped', 'template-file': 'file', none: 'none' }[origin]
}

/** `rule 6`, `rule 2 of template codex`, `default` */
export function ruleName(rule: string | undefined, place: PolicyPlace): string {
  if (rule === undefined) return 'default'
  const [owner = '', number] = rule.split('#')
  const words = `rule ${number}`
  return owner.split(':', 1)[0] === place.scope ? words : `${words} of ${owner.replace(':', ' ')}`
}

/** The configuration of a session as the hub knows it, kept up to date. */
import type { Binding, Connector } from '../../../src/api/connector.ts'
import type { Effect } from '../../../src/api/policy.ts'
import type { Session } from '../../../src/api/session.ts'
import { useLive } from '../../hub/hub-context.tsx'

export interface SeenTool {
  readonly name: string
  readonly mount: string
  readonly policy?: Effect
}

export interface SeenTools {
  readonly tools: readonly SeenTool[]
  readonly list_bytes: number
}

export interface PolicyDocument {
  readonly source: string
  readonly version: number
}

export interface ListedConnector extends Connector {
  readonly upstream: { readonly is: string; readonly reason?: string }
}

export function useBindings({ id }: Session) {
  return useLive<readonly Binding[]>(`bindings:${id}`, ({ call }) => ({
    uris: [`resource://sessions/${id}/mcp`, 'resource://connectors'],
    async read(signal) {
      return (await call<{ bindings: readonly Binding[] }>('list_bindings', { session: id, limit: 1_000 }, signal))
        .bindings
    },
  }))
}

export function useAllConnectors() {
  return useLive<readonly ListedConnector[]>('all-connectors', ({ call }) => ({
    uris: ['resource://connectors'],
    async read(signal) {
      const args = { limit: 1_000 }
      return (await call<{ connectors: readonly ListedConnector[] }>('list_connectors', args, signal)).connectors
    },
  }))
}

export function useSessionPolicy({ id }: Session) {
  return useLive<PolicyDocument>(`session-policy:${id}`, ({ call }) => ({
    uris: ['resource://policies'],
    read: (signal) => call<PolicyDocument>('get_policy', { scope: 'session', target: id }, signal),
  }))
}

/** Lists may change with connectors, the policy and the switches. */
export function useSeenTools({ id }: Session) {
  return useLive<SeenTools>(`seen-tools:${id}`, ({ call }) => ({
    uris: [`resource://sessions/${id}/mcp`, 'resource://policies', 'resource://sessions'],
    everyMs: 1_000,
    read: (signal) => call<SeenTools>('list_session_tools', { session: id }, signal),
  }))
}

/** The agent does not see tools that are denied for all arguments. */
export function isSeen({ policy }: SeenTool): boolean {
  return policy !== 'deny' && policy !== 'abort'
}

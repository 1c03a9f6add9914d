/** The roots that one mount's upstream gets when no client is asked. */
import type { Upstream } from '../upstream/upstream.ts'
import type { ResolvedConnector } from './bound-connector.ts'
import type { Root, SessionRoots } from './session-roots.ts'
import { rootsFor } from './session-roots.ts'

export interface MountRoots {
  list(): Promise<readonly Root[]>
  /** The upstream has asked for roots while no call was running. */
  isWanted: boolean
  /** Resolves when the upstream has asked for the new roots, or does not seem to. */
  notifyChanged(upstream: Upstream | undefined): Promise<void>
}

/** How long an upstream may take to ask for changed roots before a call is passed on. */
const askMs = 1_000

export function createMountRoots({ target, isShared }: ResolvedConnector, session: SessionRoots): MountRoots {
  let onAsked = () => {}
  const roots: MountRoots = {
    isWanted: false,
    async list() {
      onAsked()
      if (target instanceof Error) return []
      // An upstream that several sessions share must not learn where each of them works.
      return isShared ? rootsFor(target, []) : session.list(target)
    },
    async notifyChanged(upstream) {
      if (!roots.isWanted || isShared || upstream?.status.is !== 'running') return
      const { promise: asked, resolve } = Promise.withResolvers<void>()
      onAsked = resolve
      const timer = setTimeout(resolve, askMs)
      await upstream.notify('notifications/roots/list_changed', undefined, 'legacy').catch(resolve)
      await asked
      clearTimeout(timer)
    },
  }
  return roots
}

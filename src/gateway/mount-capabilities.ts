/** Capabilities of upstreams beyond those that the hub itself offers, such as tasks and extensions. */
import type { Client } from '../mcp/mcp.ts'
import { isRecord } from '../mcp/mcp.ts'
import type { Mount } from './mount.ts'

/** Passes capabilities on within one era only: in the other they would mean something else. The first mount wins. */
export function capabilitiesOf(mounts: readonly Mount[], era: Client['era']): Readonly<Record<string, unknown>> {
  const all: Record<string, unknown> = {}
  for (const { upstream } of mounts) {
    if (upstream?.identity?.era !== era) continue
    for (const [name, value] of Object.entries(upstream.identity.capabilities)) {
      const known = all[name]
      all[name] = isRecord(known) && isRecord(value) ? { ...value, ...known } : (known ?? value)
    }
  }
  return all
}

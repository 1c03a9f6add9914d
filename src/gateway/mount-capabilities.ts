/** What upstreams can beyond what the hub itself does for every client, such as tasks and extensions. */
import type { Client } from '../mcp/mcp.ts'
import { isRecord } from '../mcp/mcp.ts'
import type { Mount } from './mount.ts'

/** Passed on only within an era: in the other one they would mean something else. Of two mounts the first one's word counts. */
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

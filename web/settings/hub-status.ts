/** The state of the hub, in words. */
import { useLive } from '../hub/hub-context.tsx'

export interface Status {
  readonly version: string
  readonly started_at: string
  readonly uptime_seconds: number
  readonly store: 'sqlite' | 'postgres'
  readonly sessions: number
  readonly repository_url?: string
  readonly connections: number
  readonly listeners: number
  readonly events: number
  readonly memory_bytes: number
}

export const statusUri = 'resource://hub/status'

export function useStatus() {
  return useLive('status', ({ call }) => ({
    uris: [statusUri],
    everyMs: 1_000,
    read: (signal) => call<Status>('hub_status', {}, signal),
  }))
}

export const revisions = 'MCP 2024-11-05 to 2026-07-28'

export function statusWords({ version, uptime_seconds: seconds }: Status): readonly string[] {
  return [`hub ${version}`, `up ${uptime(seconds)}`, revisions]
}

/** `6 d 4 h`, `12 min` */
export function uptime(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (hours >= 24) return `${Math.floor(hours / 24)} d ${hours % 24} h`
  return hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`
}

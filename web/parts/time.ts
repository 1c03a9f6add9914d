/** Times and durations in words. */
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** `38m`, `1h 04m`, `2d` */
export function shortAge(since: string, now: number): string {
  const ms = Math.max(0, now - Date.parse(since))
  if (ms < minute) return 'now'
  if (ms < hour) return `${Math.floor(ms / minute)}m`
  if (ms >= day) return `${Math.floor(ms / day)}d`
  return `${Math.floor(ms / hour)}h ${String(Math.floor((ms % hour) / minute)).padStart(2, '0')}m`
}

/** `6 min 12 s`; without seconds `6 min` */
export function duration(ms: number, { seconds = true }: { readonly seconds?: boolean } = {}): string {
  const whole = Math.max(0, Math.floor(ms / 1000))
  if (whole < 60) return `${whole} s`
  if (whole >= 3600) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
  const rest = whole % 60
  return `${Math.floor(whole / 60)} min${seconds && rest > 0 ? ` ${rest} s` : ''}`
}

/** Of a call: `42 ms`, `5.1 s` */
export function tookText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : duration(ms)
}

/** `14:32:07` */
export function clock(at: string | number, { seconds = true }: { readonly seconds?: boolean } = {}): string {
  const second = seconds ? ({ second: '2-digit' } as const) : {}
  return new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', ...second, hour12: false })
}

/**
 * Whether this tab is visible. A hidden tab sends no requests: a browser opens only six connections to one server, and
 * the visible tabs need them.
 */
let visible = new AbortController()
let { promise: shown, resolve: resolveShown } = Promise.withResolvers<void>()

function update(): void {
  if (document.hidden) {
    visible.abort()
    ;({ promise: shown, resolve: resolveShown } = Promise.withResolvers<void>())
  } else {
    visible = new AbortController()
    resolveShown()
  }
}
update()
document.addEventListener('visibilitychange', update)

/** Waits until the tab is visible. The signal aborts when the tab is hidden, and with `signal`. */
export async function whenVisible(signal: AbortSignal): Promise<AbortSignal> {
  await shown
  return AbortSignal.any([signal, visible.signal])
}

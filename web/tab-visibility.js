// @ts-check
/**
 * Whether this tab is visible. A hidden tab sends no requests: a browser opens only six connections to one server, and
 * the visible tabs need them.
 */
let visible = new AbortController()
let { promise: shown, resolve: resolveShown } = Promise.withResolvers()

function update() {
  if (document.hidden) {
    visible.abort()
    ;({ promise: shown, resolve: resolveShown } = Promise.withResolvers())
  } else {
    visible = new AbortController()
    resolveShown(undefined)
  }
}
update()
document.addEventListener('visibilitychange', update)

/**
 * Waits until the tab is visible.
 * @param {AbortSignal} signal
 * @returns {Promise<AbortSignal>} aborts when the tab is hidden, and with `signal`
 */
export async function whenVisible(signal) {
  await shown
  return AbortSignal.any([signal, visible.signal])
}

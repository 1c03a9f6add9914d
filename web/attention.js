// @ts-check
/**
 * Whether anybody looks at this tab. One that is hidden asks the hub for nothing: a browser opens six connections to one
 * place, and the tabs that are looked at need them.
 */
let looking = new AbortController()
let { promise: seen, resolve: see } = Promise.withResolvers()

function follow() {
  if (document.hidden) {
    looking.abort()
    ;({ promise: seen, resolve: see } = Promise.withResolvers())
  } else {
    looking = new AbortController()
    see(undefined)
  }
}
follow()
document.addEventListener('visibilitychange', follow)

/**
 * Waits for somebody to look.
 * @param {AbortSignal} signal
 * @returns {Promise<AbortSignal>} fires when they look away, and with `signal`
 */
export async function attention(signal) {
  await seen
  return AbortSignal.any([signal, looking.signal])
}

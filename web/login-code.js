// @ts-check
/** Exchanges a one-time login code for a token. */

// Relative to `assets/`, so that it works below any path prefix of a proxy.
const place = new URL('../login', import.meta.url)

/** @type {(code: string) => Promise<{ token: string } | { refused: string }>} */
export async function exchangeCode(code) {
  try {
    const response = await fetch(place, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code }),
    })
    const answer = await response.json()
    return response.ok ? { token: answer.token } : { refused: answer.error.message }
  } catch {
    return { refused: 'The hub does not answer. Open the link again.' }
  }
}

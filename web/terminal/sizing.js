// @ts-check
/**
 * The terminal takes the size that fills the page of the viewer that types. The page requests it when its own size
 * changes, and does not fight a size that another viewer set on purpose.
 */

/** @typedef {import('./view.js').Size} Size */

const againMs = 1_000

/**
 * @param {object} options
 * @param {() => Size | undefined} options.wanted `undefined`: this viewer does not decide
 * @param {() => Size} options.present
 * @param {(size: Size) => Promise<boolean>} options.ask returns whether it was granted
 */
export function createSizing({ wanted, present, ask }) {
  /** @type {Size | undefined} */
  let granted
  let isAsking = false

  function sizeToRequest() {
    const size = wanted()
    return size && !isSame(size, present()) && !isSame(size, granted) ? size : undefined
  }

  return {
    /** Sends one request at a time, and repeats a refused one. */
    async settle() {
      if (isAsking) return
      isAsking = true
      for (let size = sizeToRequest(); size; size = sizeToRequest()) {
        if (await ask(size)) granted = size
        else await new Promise((resolve) => setTimeout(resolve, againMs))
      }
      isAsking = false
    },
    /** Another viewer may have chosen the size meanwhile. */
    forget: () => void (granted = undefined),
  }
}

/** @type {(one: Size, other: Size | undefined) => boolean} */
function isSame({ cols, rows }, other) {
  return cols === other?.cols && rows === other.rows
}

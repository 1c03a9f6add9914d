// @ts-check
/**
 * The size of the terminal is the one that fills the page of whoever types. It is asked for when the page has another
 * one, not held against those who change it on purpose.
 */

/** @typedef {import('./view.js').Size} Size */

const againMs = 1_000

/**
 * @param {object} options
 * @param {() => Size | undefined} options.wanted `undefined`: it is not ours to say
 * @param {() => Size} options.present
 * @param {(size: Size) => Promise<boolean>} options.ask whether it was granted
 */
export function createSizing({ wanted, present, ask }) {
  /** @type {Size | undefined} */
  let granted
  let isAsking = false

  function wish() {
    const size = wanted()
    return size && !isSame(size, present()) && !isSame(size, granted) ? size : undefined
  }

  return {
    /** One question at a time, and again where the answer was no. */
    async settle() {
      if (isAsking) return
      isAsking = true
      for (let size = wish(); size; size = wish()) {
        if (await ask(size)) granted = size
        else await new Promise((resolve) => setTimeout(resolve, againMs))
      }
      isAsking = false
    },
    /** Another one may have chosen the size meanwhile. */
    forget: () => void (granted = undefined),
  }
}

/** @type {(one: Size, other: Size | undefined) => boolean} */
function isSame({ cols, rows }, other) {
  return cols === other?.cols && rows === other.rows
}

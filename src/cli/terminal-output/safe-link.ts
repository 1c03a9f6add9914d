/** The links that a person's terminal gets from the output of programs (OSC 8). */

/**
 * A click must open a page or a message, and nothing else: terminals pass other addresses to the programs of the desktop,
 * and a `file:` address can start one.
 */
export function isSafeLink(url: string): boolean {
  return /^(https?|mailto):/i.test(url)
}

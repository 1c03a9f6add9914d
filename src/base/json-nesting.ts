/** Checks how deep a JSON text is nested before it is parsed, because the code that walks it later is recursive. */

/** Deeper than any honest message, and shallow enough for the stack of all recursive code, including JSON.stringify. */
export const deepestNesting = 200

export function isNestedDeeper(text: string, levels: number): boolean {
  return hasMoreBrackets(text, levels) && isDeeper(text, levels)
}

/** A much faster first check. Most texts have few brackets. */
function hasMoreBrackets(text: string, most: number): boolean {
  let count = 0
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      if (++count > most) return true
    }
  }
  return false
}

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

function isDeeper(text: string, levels: number): boolean {
  let depth = 0
  let isInString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (isInString) {
      if (code === backslash) index++
      else if (code === quote) isInString = false
    } else if (code === quote) isInString = true
    else if (code === openBrace || code === openBracket) {
      if (++depth > levels) return true
    } else if (code === closeBrace || code === closeBracket) depth--
  }
  return false
}

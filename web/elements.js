// @ts-check
/** Typed access to the document. */

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
export function find(id, kind) {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`The page has no ${kind.name} "${id}".`)
  return found
}

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Partial<HTMLElementTagNameMap[T]>} properties
 * @param {readonly (Node | string)[]} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function element(tag, properties = {}, children = []) {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children)
  return made
}

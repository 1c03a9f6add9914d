// @ts-check
/** Keys that a phone's keyboard lacks, and a text field with which its suggestions work. */
import { find } from '../elements.js'

/**
 * @typedef {object} KeyBarOptions
 * @property {(text: string) => void} type
 * @property {(text: string) => void} paste
 * @property {() => boolean} isApplicationCursor then arrow keys have other codes
 */

/** @param {KeyBarOptions} options */
export function createKeyBar({ type, paste, isApplicationCursor }) {
  const ctrl = find('ctrl', HTMLButtonElement)
  const text = find('text', HTMLInputElement)
  const pasteButton = find('paste', HTMLButtonElement)
  const arrow = (/** @type {string} */ letter) => () => `\x1b${isApplicationCursor() ? 'O' : '['}${letter}`
  /** @type {Record<string, () => string>} */
  const keys = {
    escape: () => '\x1b',
    tab: () => '\t',
    enter: () => '\r',
    up: arrow('A'),
    down: arrow('B'),
    right: arrow('C'),
    left: arrow('D'),
  }

  for (const button of document.querySelectorAll('button[data-key]')) {
    if (!(button instanceof HTMLButtonElement)) continue
    const key = keys[button.dataset.key ?? '']
    if (key) press(button, () => type(key()))
  }
  press(ctrl, () => setCtrl(!isCtrl()))
  // Without a secure connection the browser denies access to the clipboard.
  pasteButton.hidden = navigator.clipboard?.readText === undefined
  press(pasteButton, async () => paste(await navigator.clipboard.readText()))

  text.addEventListener('input', () => {
    if (!isCtrl() || text.value === '') return
    type(withCtrl(text.value.slice(-1)))
    text.value = text.value.slice(0, -1)
  })
  find('typing', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault()
    if (text.value !== '') paste(text.value)
    type('\r')
    text.value = ''
  })

  const isCtrl = () => ctrl.ariaPressed === 'true'
  const setCtrl = (/** @type {boolean} */ on) => void (ctrl.ariaPressed = String(on))

  /** Applies Ctrl to the next key, if it was pressed on the bar. @param {string} typed */
  function withCtrl(typed) {
    if (!isCtrl() || typed.length !== 1) return typed
    setCtrl(false)
    return controlCharacter(typed)
  }

  return { withCtrl }
}

/** @param {string} character */
function controlCharacter(character) {
  if (character === ' ') return '\0'
  if (character === '?') return '\x7f'
  const code = character.toUpperCase().charCodeAt(0)
  return code >= 0x40 && code < 0x60 ? String.fromCharCode(code & 0x1f) : character
}

/**
 * The button takes no focus, so that the phone's keyboard stays as it is.
 * @type {(button: HTMLButtonElement, action: () => void | Promise<void>) => void}
 */
function press(button, action) {
  button.addEventListener('pointerdown', (event) => event.preventDefault())
  button.addEventListener('click', () => void action())
}

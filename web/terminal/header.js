// @ts-check
/** What stands above the terminal: which session, how it is, who types. */
import { find } from '../elements.js'
import { describeDoing, describeEnd, isOver, moodOf } from '../session-words.js'

/** @typedef {import('../mcp-client.js').Json} Json */

export function createHeader() {
  const banner = find('banner', HTMLElement)
  const takeOver = find('take-over', HTMLButtonElement)
  const status = find('status', HTMLElement)
  let name = ''
  let isWaiting = false
  let titleByProgram = ''
  /** @type {string | undefined} */
  let titleByHand
  /** By urgency: the first that has something to say is shown. @type {Map<string, string | undefined>} */
  const notes = new Map([
    ['lost', undefined],
    ['failed', undefined],
    ['over', undefined],
    ['reading', undefined],
  ])

  function showTitle() {
    const shown = titleByHand ?? titleByProgram
    find('title', HTMLElement).textContent = shown
    document.title = `${isWaiting ? '◆ ' : ''}${shown === '' ? name : `${name}: ${shown}`} – Signalbox`
  }

  /** @type {(kind: 'lost' | 'failed' | 'over' | 'reading', words: string | undefined) => void} */
  function note(kind, words) {
    notes.set(kind, words)
    const [is, said] = [...notes].find(([, each]) => each !== undefined) ?? []
    if (is === undefined) delete banner.dataset.is
    else banner.dataset.is = is
    find('words', HTMLElement).textContent = said ?? ''
    takeOver.hidden = is !== 'reading'
  }

  return {
    takeOver,
    note,
    /** Somebody typed who may not. */
    flash() {
      banner.classList.remove('refused')
      void banner.offsetWidth // so that the animation begins anew
      banner.classList.add('refused')
    },
    /** @param {Json} session */
    showSession(session) {
      name = session.name
      isWaiting = !isOver(session) && session.activity.is === 'waiting'
      find('name', HTMLElement).textContent = name
      status.textContent = session.status
      status.dataset.is = moodOf(session)
      find('activity', HTMLElement).textContent = isOver(session) ? '' : describeDoing(session)
      note('over', isOver(session) ? `This session is over. ${describeEnd(session)}` : undefined)
      showTitle()
    },
    /** @param {string} title */
    showProgramTitle(title) {
      titleByProgram = title
      showTitle()
    },
    /** What people set goes before what the program says. @param {Json} config of the terminal */
    showWindow({ terminal, window }) {
      const isByHand = window.title !== (terminal.title || name)
      titleByHand = isByHand ? window.title : undefined
      showTitle()
      find('place', HTMLElement).style.opacity = window.opacity
    },
    /** @param {import('./view.js').Size} size */
    showSize({ cols, rows }) {
      find('size', HTMLElement).textContent = `${cols}×${rows}`
    },
    /** @param {string} words */
    showWriter(words) {
      find('writer', HTMLElement).textContent = words
    },
  }
}

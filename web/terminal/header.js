// @ts-check
/** The header above the terminal: the session, its status, and who types. */
import { find } from '../elements.js'
import { describeActivity, describeEnd, displayStatus, isOver } from '../session-text.js'

/** @typedef {import('../mcp-client.js').Json} Json */

export function createHeader() {
  const banner = find('banner', HTMLElement)
  const takeOver = find('take-over', HTMLButtonElement)
  const status = find('status', HTMLElement)
  let name = ''
  let isWaiting = false
  let programTitle = ''
  /** @type {string | undefined} */
  let ownTitle
  /** In order of urgency: the first with a text is shown. @type {Map<string, string | undefined>} */
  const notes = new Map([
    ['lost', undefined],
    ['failed', undefined],
    ['over', undefined],
    ['reading', undefined],
  ])

  function showTitle() {
    const shown = ownTitle ?? programTitle
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
    /** A viewer typed without the input. */
    flash() {
      banner.classList.remove('refused')
      void banner.offsetWidth // restarts the animation
      banner.classList.add('refused')
    },
    /** @param {Json} session */
    showSession(session) {
      name = session.name
      isWaiting = !isOver(session) && session.activity.is === 'waiting'
      find('name', HTMLElement).textContent = name
      status.textContent = session.status
      status.dataset.is = displayStatus(session)
      find('activity', HTMLElement).textContent = isOver(session) ? '' : describeActivity(session)
      note('over', isOver(session) ? `This session is over. ${describeEnd(session)}` : undefined)
      showTitle()
    },
    /** @param {string} title */
    showProgramTitle(title) {
      programTitle = title
      showTitle()
    },
    /** A title that people set wins over the title of the program. @param {Json} config of the terminal */
    showWindow({ terminal, window }) {
      const isOwnTitle = window.title !== (terminal.title || name)
      ownTitle = isOwnTitle ? window.title : undefined
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

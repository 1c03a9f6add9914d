// @ts-check
/** The page of one session: shows its terminal live, and lets one viewer at a time type. */
import { untilAnswered } from '../backoff.js'
import { find } from '../elements.js'
import { createLoginForm } from '../login-form.js'
import { createMcpClient } from '../mcp-client.js'
import { keepUpToDate } from '../notices.js'
import { isNotStarted, isOver } from '../session-text.js'
import { readToken } from '../token.js'
import { createHeader } from './header.js'
import { createKeyBar } from './key-bar.js'
import { followOutput } from './output.js'
import { createSizing } from './sizing.js'
import { createTyping } from './typing.js'
import { createView } from './view.js'
import { viewerOfThisTab } from './viewer.js'

/** @typedef {import('../mcp-client.js').Json} Json */

const named = decodeURIComponent(location.pathname.slice(location.pathname.lastIndexOf('/') + 1))
const viewer = viewerOfThisTab()
const header = createHeader()
const view = createView(find('place', HTMLElement), {
  nonce: find('style', HTMLLinkElement).nonce,
})
const { terminal } = view
/** @type {ReturnType<typeof createTyping> | undefined} */
let typing
let shown = new AbortController()

const sizing = createSizing({
  wanted: () => (typing?.isWriter ? view.room() : undefined),
  present: () => terminal,
  ask: async (size) => (await typing?.resize(size)) === true,
})
const keyBar = createKeyBar({
  type,
  paste: (text) => terminal.paste(text),
  isApplicationCursor: () => terminal.modes.applicationCursorKeysMode,
})
terminal.onData((data) => (isReport(data) ? report(data) : type(keyBar.withCtrl(data))))
terminal.onBinary(report)
terminal.onTitleChange(header.showProgramTitle)
header.takeOver.addEventListener('click', () => {
  void typing?.takeOver()
  terminal.focus()
})
new ResizeObserver(debounce(arrange)).observe(find('place', HTMLElement))
visualViewport?.addEventListener('resize', keepAboveKeyboard)

const login = createLoginForm(() => void show(), ask)
void login.begin()

/** Runs from login to the end of the session or the token. */
async function show() {
  shown.abort()
  shown = new AbortController()
  const { signal } = shown
  const token = readToken()
  if (!token) return ask('Not logged in.')
  const client = createMcpClient(token)
  const { call } = client
  try {
    const onLost = (/** @type {Error} */ { message }) => header.note('lost', `${message} Trying again …`)
    const readSession = () => call('get_session', { name: named }, signal)
    // From here on by its id, since a name refers to its newest session.
    const session = await untilAnswered(readSession, { signal, onLost })
    login.hide()
    header.note('failed', undefined)
    header.note('lost', undefined)
    present(session)
    // On a phone, the focus would open the keyboard.
    if (!matchMedia('(pointer: coarse)').matches) terminal.focus()
    typing = createTyping({
      call,
      session: session.id,
      viewer,
      onWriter,
      onRefused: header.flash,
      onFailure: ({ message }) => header.note('failed', `${message} What you typed may not have arrived.`),
    })
    const started = Promise.withResolvers()
    if (!isNotStarted(session)) started.resolve(undefined)
    await Promise.all([
      started.promise.then(() => followOutput({ call, session: session.id, viewer, signal, view, onNews, onLost })),
      keepUpToDate({
        client,
        signal,
        async read() {
          const now = await call('get_session', { name: session.id }, signal)
          present(now)
          if (isNotStarted(now)) return
          started.resolve(undefined)
          header.showWindow(await call('get_config', { session: session.id }, signal))
        },
        onLost,
      }),
    ])
  } catch (error) {
    if (signal.aborted) return
    const { kind, message } = /** @type {import('../mcp-client.js').CallFailure} */ (error)
    if (kind === 'login') ask(message)
    else header.note('failed', message)
    shown.abort()
  }
}

/** @param {string} why */
function ask(why) {
  header.note('failed', why)
  login.show()
}

/** @param {Json} session */
function present(session) {
  header.showSession(session)
  if (isOver(session)) typing = undefined
}

/** @param {Json} news */
function onNews({ size, writer }) {
  header.note('lost', undefined)
  header.showSize(size)
  typing?.setWriter(writer)
  void sizing.settle()
}

/** @param {string | undefined} writer */
function onWriter(writer) {
  const isOther = writer !== undefined && writer !== viewer
  header.note('reading', isOther ? `${writer} is typing. You can read along.` : undefined)
  header.showWriter(writer === viewer ? 'you type' : '')
  view.setRole(writer === viewer ? 'writer' : 'reader')
  sizing.forget()
}

/** @param {string} text */
function type(text) {
  header.note('failed', undefined)
  typing?.type(text)
}

/** Mouse and focus reports go to the program only if this viewer types. @param {string} data */
function report(data) {
  if (typing?.isWriter && isAscii(data)) typing.type(data)
}

function arrange() {
  view.arrange()
  void sizing.settle()
}

/** For phones whose keyboard covers the page instead of resizing it. */
function keepAboveKeyboard() {
  const { height, scale } = /** @type {VisualViewport} */ (visualViewport)
  // Zooming in makes the visible part smaller, but not the page.
  document.documentElement.style.setProperty('--visible-height', `${height * scale}px`)
}

/** Focus and mouse reports. @param {string} data */
function isReport(data) {
  return data === '\x1b[I' || data === '\x1b[O' || data.startsWith('\x1b[M') || data.startsWith('\x1b[<')
}

/** @param {string} data */
function isAscii(data) {
  return Array.from(data).every((character) => character < '\x80')
}

/**
 * Otherwise dragging the edge of a window would send every size on the way to the program.
 * @param {() => void} action
 */
function debounce(action) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  return () => {
    clearTimeout(timer)
    timer = setTimeout(action, 100)
  }
}

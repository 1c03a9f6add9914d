/** The name of this tab among the viewers of a session. */
const key = 'signalbox-viewer'

/**
 * A reload is the same viewer, and keeps the input. The name is stored only while the page is gone, so that a
 * duplicated tab does not become the same viewer.
 */
export const viewerOfThisTab = readViewer()

function readViewer(): string {
  const viewer = sessionStorage.getItem(key) ?? `${browserName()} ${randomName()}`
  sessionStorage.removeItem(key)
  addEventListener('pagehide', () => sessionStorage.setItem(key, viewer))
  addEventListener('pageshow', () => sessionStorage.removeItem(key))
  return viewer
}

function browserName(): string {
  const agent = navigator.userAgent
  const browser = /Firefox|Edg|Chrome|Safari/.exec(agent)?.[0] ?? 'Browser'
  const system = /Android|iPhone|iPad|Windows|Mac|Linux/.exec(agent)?.[0]
  return `${browser === 'Edg' ? 'Edge' : browser}${system ? ` on ${system}` : ''}`
}

function randomName(): string {
  return [...crypto.getRandomValues(new Uint8Array(3))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

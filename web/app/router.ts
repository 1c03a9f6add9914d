/** The place of the page that is shown. Every other path that the hub serves is the follow link of a session. */
import { createStore, useStore } from '../hub/store.ts'
import { address, root } from './address.ts'

export type Route =
  | { readonly is: 'sessions' }
  | { readonly is: 'session'; readonly name: string }
  | { readonly is: SectionName; readonly id: string | undefined }

/** A section has a path of its name, and below it one for each thing in it. */
const sectionNames = ['approvals', 'connections', 'policy', 'activity', 'repositories', 'settings'] as const
export type SectionName = (typeof sectionNames)[number]

const current = createStore<Route>(readRoute())
addEventListener('popstate', () => current.set(readRoute()))

export function useRoute(): Route {
  return useStore(current)
}

export function pathOf(route: Route): string {
  if (route.is === 'sessions') return ''
  if (route.is === 'session') return `terminal/${encodeURIComponent(route.name)}`
  return route.id === undefined ? route.is : `${route.is}/${encodeURIComponent(route.id)}`
}

export function go(route: Route, { replace = false }: { readonly replace?: boolean } = {}): void {
  const url = address(pathOf(route))
  if (url === location.href) return
  if (replace) history.replaceState(null, '', url)
  else history.pushState(null, '', url)
  current.set(route)
}

/** Goes to a path of the page, relative to its root. */
export function goToPath(path: string): void {
  history.pushState(null, '', address(path))
  current.set(readRoute())
}

function readRoute(): Route {
  const path = location.pathname.slice(root.pathname.length).split('/')
  const last = decodeURIComponent(path.at(-1) ?? '')
  if (path.length === 1 && last === '') return { is: 'sessions' }
  const section = sectionNames.find((name) => name === path[0])
  if (section) return { is: section, id: path.length > 1 ? last : undefined }
  return { is: 'session', name: last }
}

/** The place of the page that is shown. Every other path that the hub serves is the follow link of a session. */
import { createStore, useStore } from '../hub/store.ts'
import { address, root } from './address.ts'

export type Route =
  | { readonly is: 'sessions' }
  | { readonly is: 'session'; readonly name: string }
  | { readonly is: 'approvals'; readonly id: string | undefined }

const current = createStore<Route>(readRoute())
addEventListener('popstate', () => current.set(readRoute()))

export function useRoute(): Route {
  return useStore(current)
}

export function pathOf(route: Route): string {
  switch (route.is) {
    case 'sessions':
      return ''
    case 'session':
      return `terminal/${encodeURIComponent(route.name)}`
    case 'approvals':
      return route.id === undefined ? 'approvals' : `approvals/${encodeURIComponent(route.id)}`
  }
}

export function go(route: Route, { replace = false }: { readonly replace?: boolean } = {}): void {
  const url = address(pathOf(route))
  if (url === location.href) return
  if (replace) history.replaceState(null, '', url)
  else history.pushState(null, '', url)
  current.set(route)
}

function readRoute(): Route {
  const path = location.pathname.slice(root.pathname.length).split('/')
  const last = decodeURIComponent(path.at(-1) ?? '')
  if (path.length === 1 && last === '') return { is: 'sessions' }
  if (path[0] === 'approvals') return { is: 'approvals', id: path.length > 1 ? last : undefined }
  return { is: 'session', name: last }
}

/** A link to another place of the page. It changes the view without loading the page again. */
import type { ComponentProps, MouseEvent } from 'react'
import { loadTerminalPane } from '../session/terminal/load-terminal-pane.ts'
import { address } from './address.ts'
import { type Route, go, pathOf } from './router.ts'

export function PageLink({ to, onClick, ...rest }: { readonly to: Route } & ComponentProps<'a'>) {
  function follow(event: MouseEvent<HTMLAnchorElement>): void {
    onClick?.(event)
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (!isPlain || event.defaultPrevented) return
    event.preventDefault()
    go(to)
  }
  return <a onPointerEnter={() => prepare(to)} {...rest} href={address(pathOf(to))} onClick={follow} />
}

/** People point at a link before they click. Meanwhile the terminal loads, which is the largest part of a session. */
function prepare({ is }: Route): void {
  // A failure shows when the session is opened.
  if (is === 'session') loadTerminalPane().catch(() => {})
}

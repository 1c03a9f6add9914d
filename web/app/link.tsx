/** A link to another place of the page. It changes the view without loading the page again. */
import type { ComponentProps, MouseEvent } from 'react'
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
  return <a {...rest} href={address(pathOf(to))} onClick={follow} />
}

/**
 * Keys of the whole page. A single key does nothing while the person types in a field or a terminal, and nothing while a
 * dialog is open. `g s` means: first g, then s.
 */
import { useEffect, useRef } from 'react'

export type KeyMap = Readonly<Record<string, () => void>>

interface Registered {
  readonly latest: { readonly current: KeyMap }
}

/** Those of the view that was opened last come first, and those that work everywhere come last. */
const registered: Registered[] = []
const prefixMs = 1_500
let prefix: { readonly key: string; readonly until: number } | undefined

export function useKeys(map: KeyMap, { everywhere = false }: { readonly everywhere?: boolean } = {}): void {
  const latest = useRef(map)
  latest.current = map
  useEffect(() => {
    const entry = { latest }
    if (everywhere) registered.push(entry)
    else registered.unshift(entry)
    return () => void registered.splice(registered.indexOf(entry), 1)
  }, [everywhere])
}

addEventListener('keydown', (event) => {
  const isCommand = event.metaKey || event.ctrlKey
  const plain = isCommand ? `mod+${event.shiftKey ? 'shift+' : ''}${event.key.toLowerCase()}` : event.key
  if (event.defaultPrevented || event.altKey || event.isComposing) return
  if (!isCommand && (isTyping(event.target) || document.querySelector('[role=dialog], [role=menu]'))) return
  const name = prefix && prefix.until > event.timeStamp ? `${prefix.key} ${plain}` : plain
  prefix = undefined
  const action = registered.find(({ latest }) => latest.current[name])?.latest.current[name]
  if (action) {
    event.preventDefault()
    action()
  } else if (plain === 'g') prefix = { key: 'g', until: event.timeStamp + prefixMs }
})

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

/** Moves the focus to the next or the previous item of a list. */
export function moveFocus(step: 1 | -1): void {
  const items = [...document.querySelectorAll<HTMLElement>('[data-item]')].filter((item) => item.offsetParent !== null)
  const at = items.findIndex((item) => item.contains(document.activeElement))
  const next = items[at < 0 ? (step === 1 ? 0 : items.length - 1) : at + step]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}

export const commandKey = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl'

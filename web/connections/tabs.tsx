/** Tabs that arrow keys move between. */
import type { KeyboardEvent } from 'react'

export interface Tab<Name extends string> {
  readonly is: Name
  readonly words: string
  readonly count?: number | undefined
}

export interface TabsProps<Name extends string> {
  readonly label: string
  readonly tabs: readonly Tab<Name>[]
  readonly chosen: Name
  onChoose(name: Name): void
}

export function Tabs<Name extends string>({ label, tabs, chosen, onChoose }: TabsProps<Name>) {
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    const at = tabs.findIndex(({ is }) => is === chosen)
    const next = tabs[(at + step + tabs.length) % tabs.length]
    if (!next) return
    event.preventDefault()
    onChoose(next.is)
    event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[tabs.indexOf(next)]?.focus()
  }
  return (
    <div className="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map(({ is, words, count }) => (
        <button
          key={is}
          role="tab"
          aria-selected={is === chosen}
          tabIndex={is === chosen ? 0 : -1}
          onClick={() => onChoose(is)}
        >
          {words} {count !== undefined && <span className="count">{count}</span>}
        </button>
      ))}
    </div>
  )
}

/** A row of tabs. The arrow keys choose the next one. */
import type { KeyboardEvent, ReactNode } from 'react'

export interface TabsProps<Id extends string> {
  readonly label: string
  readonly className: string
  readonly tabs: readonly { readonly id: Id; readonly title: ReactNode }[]
  readonly chosen: Id
  onChoose(id: Id): void
}

export function Tabs<Id extends string>({ label, className, tabs, chosen, onChoose }: TabsProps<Id>) {
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const at = tabs.findIndex(({ id }) => id === chosen)
    const next = (at + step + tabs.length) % tabs.length
    onChoose(tabs[next]!.id)
    event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus()
  }
  return (
    <div className={className} role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map(({ id, title }) => (
        <button
          key={id}
          role="tab"
          aria-selected={id === chosen}
          tabIndex={id === chosen ? 0 : -1}
          onClick={(event) => {
            onChoose(id)
            event.currentTarget.scrollIntoView({ block: 'nearest', inline: 'nearest' })
          }}
        >
          {title}
        </button>
      ))}
    </div>
  )
}

/** The title of a tab, with how many things are in it. */
export function withCount(words: string, count: number | string | undefined): ReactNode {
  return (
    <>
      {words} {count !== undefined && <span className="count">{count}</span>}
    </>
  )
}

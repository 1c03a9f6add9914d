/** The tabs beside the terminal, and their titles. */
import type { ReactNode } from 'react'
import type { Approval } from '../../src/api/approval.ts'
import { StateMark } from '../parts/marks.tsx'

const names = { thread: 'Thread', tools: 'Tools', approvals: 'Approvals', events: 'Events', files: 'Files' } as const

export type SideTab = keyof typeof names

export interface SideTabTitle {
  readonly id: SideTab
  readonly title: ReactNode
}

export interface SideTabCounts {
  readonly hasThread: boolean
  readonly pending: readonly Approval[]
  /** `undefined`: not known yet. */
  readonly tools: number | undefined
}

export function sideTabs({ hasThread, pending, tools = 0 }: SideTabCounts): readonly SideTabTitle[] {
  const titles: Readonly<Record<SideTab, ReactNode>> = {
    ...names,
    tools: tools === 0 ? names.tools : <Counted name={names.tools} count={tools} />,
    approvals: <Waiting count={pending.length} />,
  }
  const ids = (Object.keys(names) as SideTab[]).filter((id) => hasThread || id !== 'thread')
  return ids.map((id) => ({ id, title: titles[id] }))
}

/** On a phone the terminal is a tab too, after the thread. */
export function phoneTabs(
  tabs: readonly SideTabTitle[],
  hasTerminal: boolean,
): readonly { readonly id: SideTab | 'terminal'; readonly title: ReactNode }[] {
  if (!hasTerminal) return tabs
  const [first, ...rest] = tabs
  const terminal = { id: 'terminal', title: 'Terminal' } as const
  return first?.id === 'thread' ? [first, terminal, ...rest] : [terminal, ...tabs]
}

export function nameOf(tab: SideTab): string {
  return names[tab]
}

function Counted({ name, count }: { readonly name: string; readonly count: number }) {
  return (
    <>
      {name} <span className="count">{count}</span>
    </>
  )
}

function Waiting({ count }: { readonly count: number }) {
  return (
    <>
      Approvals
      {count > 0 && (
        <span className="badge">
          <StateMark state="waiting" size={8} />
          {count}
          <span className="sr"> waiting</span>
        </span>
      )}
    </>
  )
}

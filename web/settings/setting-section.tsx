/** A part of the settings with its heading. */
import type { ReactNode } from 'react'

export interface SettingSectionProps {
  readonly title: string
  readonly about?: string
  /** At the right of the heading. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function SettingSection({ title, about, actions, children }: SettingSectionProps) {
  return (
    <section className="set-s" aria-label={title}>
      <div className="row set-h">
        <h2>{title}</h2>
        {about !== undefined && <p className="t2">{about}</p>}
        <span className="grow" />
        {actions}
      </div>
      {children}
    </section>
  )
}

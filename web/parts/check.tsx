/** A checkbox. */
import type { ReactNode } from 'react'
import { Icon } from './icons.tsx'

export interface CheckProps {
  readonly checked: boolean
  onChange(checked: boolean): void
  readonly children: ReactNode
}

export function Check({ checked, onChange, children }: CheckProps) {
  return (
    <label className={checked ? 'check on' : 'check'}>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <i>{checked && <Icon name="tick" size={10} />}</i>
      {children}
    </label>
  )
}

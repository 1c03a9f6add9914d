/** A dialog; at the bottom of the screen on a phone. */
import type { ReactNode } from 'react'
import * as Dialog from '@radix-ui/react-dialog'
import { Icon } from './icons.tsx'

export interface SheetProps {
  readonly title: string
  readonly className?: string
  onClose(): void
  readonly children: ReactNode
  /** The content has a heading of its own. */
  readonly bare?: boolean
}

export function Sheet({ title, className = '', onClose, bare = false, children }: SheetProps) {
  return (
    <Dialog.Root open onOpenChange={(open) => open || onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="scrim open" />
        <Dialog.Content className={`sheet ${className}`} aria-describedby={undefined}>
          {bare ? (
            <Dialog.Title className="sr">{title}</Dialog.Title>
          ) : (
            <header className="row sheet-h">
              <Dialog.Title>{title}</Dialog.Title>
              <span className="grow" />
              <Dialog.Close className="icon-btn sm" aria-label="Close">
                <Icon name="close" size={14} />
              </Dialog.Close>
            </header>
          )}
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

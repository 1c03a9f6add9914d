/** A button that shows what a list is filtered by, and lets the person choose. */
import * as Menu from '@radix-ui/react-dropdown-menu'
import { Icon } from '../parts/icons.tsx'
import { VisibleText } from '../parts/visible-text.tsx'

export interface FilterMenuProps {
  /** The subject of the choice, such as "Session". */
  readonly title: string
  /** `undefined`: no filter. */
  readonly value: string | undefined
  readonly choices: readonly (readonly [value: string, words: string])[]
  onChange(value: string | undefined): void
  /** The words for no filter. Without them, one of the choices always applies. */
  readonly all?: string
}

const everything = ''

export function FilterMenu({ title, value, choices, onChange, all }: FilterMenuProps) {
  const chosen = choices.find(([each]) => each === value)?.[1] ?? value
  return (
    <Menu.Root>
      <Menu.Trigger
        className={value === undefined || all === undefined ? 'btn' : 'btn is-set'}
        aria-label={`${title}: ${chosen ?? all}`}
      >
        <span className="cut">{chosen === undefined ? title : <VisibleText text={chosen} />}</span>
        <Icon name="down" size={12} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Content className="menu filter-menu" align="start" sideOffset={4} collisionPadding={8}>
          <Menu.RadioGroup
            value={value ?? everything}
            onValueChange={(next) => onChange(next === everything ? undefined : next)}
          >
            {all !== undefined && <Choice value={everything} words={all} />}
            {choices.map(([each, words]) => (
              <Choice key={each} value={each} words={words} />
            ))}
          </Menu.RadioGroup>
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  )
}

function Choice({ value, words }: { readonly value: string; readonly words: string }) {
  return (
    <Menu.RadioItem className="filter-choice" value={value}>
      <span className="filter-tick">
        <Menu.ItemIndicator>
          <Icon name="tick" size={12} />
        </Menu.ItemIndicator>
      </span>
      <span className="cut">
        <VisibleText text={words} />
      </span>
    </Menu.RadioItem>
  )
}

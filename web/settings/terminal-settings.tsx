/** The colours of terminals. */
import { type TerminalGround, chooseTerminalGround, useTerminalGround } from '../app/theme.ts'
import { type Choice, Choices } from './choices.tsx'
import { SettingSection } from './setting-section.tsx'

const choices: readonly Choice<TerminalGround>[] = [
  { value: 'dark', title: 'Always dark', about: 'Agents draw for dark ground.' },
  { value: 'page', title: 'As the page', about: 'Light where the page is light. Colours are made readable.' },
]

export function TerminalSettings() {
  const chosen = useTerminalGround()
  return (
    <SettingSection title="Terminal" about="For this browser. The size of its letters is set in the terminal itself.">
      <Choices name="terminal" label="Terminal" choices={choices} chosen={chosen} onChoose={chooseTerminalGround} />
    </SettingSection>
  )
}

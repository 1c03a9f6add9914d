/** Light or dark. */
import { type ThemeChoice, chooseTheme, useThemeChoice } from '../app/theme.ts'
import { type Choice, Choices } from './choices.tsx'
import { SettingSection } from './setting-section.tsx'

const choices: readonly Choice<ThemeChoice>[] = [
  { value: 'system', title: 'As the system', about: 'Changes with this device, for example at night.' },
  { value: 'light', title: 'Light', about: 'Always.' },
  { value: 'dark', title: 'Dark', about: 'Always.' },
]

export function Appearance() {
  const chosen = useThemeChoice()
  return (
    <SettingSection title="Appearance" about="For this browser.">
      <Choices name="theme" label="Theme" choices={choices} chosen={chosen} onChoose={chooseTheme} />
    </SettingSection>
  )
}

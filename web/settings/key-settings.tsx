/** The keys of the page. */
import { KeyColumns } from '../app/key-sheet.tsx'
import { SettingSection } from './setting-section.tsx'

export function KeySettings() {
  return (
    <SettingSection title="Keys" about="Single keys do nothing while you type in a field or a terminal.">
      <KeyColumns />
    </SettingSection>
  )
}

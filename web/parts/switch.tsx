/** A switch. Its label names the setting. */
export interface SwitchProps {
  readonly label: string
  readonly isOn: boolean
  onChange(isOn: boolean): void
}

export function Switch({ label, isOn, onChange }: SwitchProps) {
  return (
    <button
      type="button"
      className="switch"
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      onClick={() => onChange(!isOn)}
    />
  )
}

/** Texts that a person has not sent yet. They survive a reload and a new login in this tab. */
const prefix = 'signalbox-draft:'

export function readDraft(key: string): string {
  return sessionStorage.getItem(prefix + key) ?? ''
}

export function keepDraft(key: string, text: string): void {
  if (text === '') sessionStorage.removeItem(prefix + key)
  else sessionStorage.setItem(prefix + key, text)
}

export function hasDraft(): boolean {
  return Object.keys(sessionStorage).some((key) => key.startsWith(prefix))
}

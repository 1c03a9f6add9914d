export const threadsPrefix = 'resource://threads/'

export function threadUri(id: string): string {
  return `${threadsPrefix}${id}`
}

export function sessionThreadUri(session: string): string {
  return `resource://sessions/${session}/thread`
}

export const mountsPrefix = 'resource://mounts/'

export function mountUri(label: string): string {
  return `${mountsPrefix}${label}`
}

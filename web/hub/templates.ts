/** The kinds of session that can be started, kept up to date. */
import type { Template } from '../../src/api/template.ts'
import { useLive } from './hub-context.tsx'

export interface ListedTemplate extends Template {
  readonly label: string
  readonly available: boolean
  readonly why_not?: string
}

export function useTemplates() {
  return useLive<readonly ListedTemplate[]>('templates', ({ call }) => ({
    uris: ['resource://templates'],
    read: async (signal) =>
      (await call<{ templates: readonly ListedTemplate[] }>('list_templates', {}, signal)).templates,
  }))
}

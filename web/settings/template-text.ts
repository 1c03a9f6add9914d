/** The text of a template as a person edits it: only what differs from the defaults. */
import { type Template, templateSchema } from '../../src/api/template.ts'

export interface ListedTemplate extends Template {
  readonly label: string
  readonly available: boolean
  readonly why_not?: string
  /** `shipped`, or the path of its file. */
  readonly source: string
}

export function textOf({ available: _a, why_not: _w, source: _s, ...template }: ListedTemplate): string {
  const defaults: Readonly<Record<string, unknown>> = templateSchema.parse({ name: template.name })
  const entries = Object.entries(template).filter(([key, value]) => {
    if (key === 'name') return true
    if (key === 'label') return value !== template.name
    return JSON.stringify(value) !== JSON.stringify(defaults[key])
  })
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`
}

export const newTemplateText = `{
  "name": "my-agent",
  "label": "My agent",
  "command": "my-agent",
  "args": ["--verbose"],
  "session_type": "long_running",
  "env_keys": []
}
`

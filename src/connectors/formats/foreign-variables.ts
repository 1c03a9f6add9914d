/** How other programs write references, as ours: `${env:X}`, `${input:x}`, `${workspaceFolder}`, Gemini's `$X`. */
import type { Connector } from '../../api/connector.ts'
import { mapTexts } from '../connector-texts.ts'
import { ownVariable } from '../variable-names.ts'
import type { Draft } from './entry.ts'

/** The other program would have asked for it; here it is a variable. */
export interface Asked {
  readonly connector: string
  readonly variable: string
  /** What the person was to be asked. */
  readonly description: string
}

export function translate(
  draft: Draft,
  { inputs, hasBareVariables }: { readonly inputs: ReadonlyMap<string, string>; readonly hasBareVariables: boolean },
): { readonly draft: Draft; readonly asked: readonly Asked[] } {
  const asked = new Map<string, Asked>()

  function inputVariable(id: string): string {
    // One question may be meant for several servers, so it is called by its own name if that says enough.
    const own = ownVariable(draft.name, id)
    const variable = /[-_ ]/.test(id) ? id.replaceAll(/[^A-Za-z\d]+/g, '_').toUpperCase() : own
    asked.set(variable, { connector: draft.name, variable, description: inputs.get(id) ?? '' })
    return `\${${variable}}`
  }

  function ours(text: string): string {
    const known = text
      .replaceAll(/\$\{env:([A-Za-z_]\w*)\}/g, '${$1}')
      .replaceAll(/\$\{input:([^{}]+)\}/g, (_, id: string) => inputVariable(id))
      .replaceAll(
        /\$\{(?:workspaceFolder(?::[^{}]*)?|(?:workspaceRoot|cwd|CLAUDE_PROJECT_DIR)(?::-[^{}]*)?)\}/g,
        '{workspace}',
      )
      .replaceAll('${userHome}', '${HOME}')
      .replaceAll(/\$\{(?:\/|pathSeparator)\}/g, '/')
    return hasBareVariables ? known.replaceAll(/\$([A-Za-z_]\w*)/g, '${$1}') : known
  }

  const fields = mapTexts(draft.fields as Partial<Connector>, ours)
  return { draft: { ...draft, fields: withEnvKeys(fields) }, asked: [...asked.values()] }
}

/** `env: {X: "${X}"}` is a variable that is passed on under its own name. */
function withEnvKeys(fields: Partial<Connector>): Readonly<Record<string, unknown>> {
  const { env, ...options } = fields.options ?? {}
  if (!env) return fields
  const passedOn = Object.keys(env).filter((name) => env[name] === `\${${name}}`)
  const literal = Object.fromEntries(Object.entries(env).filter(([name]) => !passedOn.includes(name)))
  return {
    ...fields,
    env_keys: [...new Set([...(fields.env_keys ?? []), ...passedOn])],
    options: { ...options, ...(Object.keys(literal).length > 0 && { env: literal }) },
  }
}

/**
 * Translates the references of other programs to ours: `${env:X}`, opencode's `{env:X}`, `${input:x}`, `${workspaceFolder}`, Gemini's `$X`.
 */
import type { Connector } from '../../api/connector.ts'
import { mapTexts } from '../texts/connector-texts.ts'
import { ownVariable } from '../texts/variable-names.ts'
import type { Draft } from './entry.ts'

/** A value that the other program would ask the person for. Here it becomes a variable. */
export interface Asked {
  readonly connector: string
  readonly variable: string
  /** The question to the person. */
  readonly description: string
}

export function translate(
  draft: Draft,
  { inputs, hasBareVariables }: { readonly inputs: ReadonlyMap<string, string>; readonly hasBareVariables: boolean },
): { readonly draft: Draft; readonly asked: readonly Asked[] } {
  const asked = new Map<string, Asked>()

  function inputVariable(id: string): string {
    // Several servers may share one question, so the variable takes the question's own name if that is specific enough.
    const own = ownVariable(draft.name, id)
    const variable = /[-_ ]/.test(id) ? id.replaceAll(/[^A-Za-z\d]+/g, '_').toUpperCase() : own
    asked.set(variable, { connector: draft.name, variable, description: inputs.get(id) ?? '' })
    return `\${${variable}}`
  }

  function ours(text: string): string {
    const known = text
      .replaceAll(/\$?\{env:([A-Za-z_]\w*)\}/g, '${$1}')
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

/** `env: {X: "${X}"}` passes a variable on under its own name. */
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

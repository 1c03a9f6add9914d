/** Maps the input of an action to the arguments of a connector tool. */
import type { Action, ActionInput } from '../api/action.ts'
import { actionFields } from '../api/action.ts'
import { actionPrompt } from '../api/action-prompt.ts'

type Template = Readonly<Record<string, unknown>>

const placeholder = /\{([a-z_]+)\}/g

/**
 * Without a template, the tool gets the input itself. An argument that is only a placeholder is left out if the input
 * does not have that field.
 */
export function toArguments(
  template: Template | undefined,
  action: Action,
  input: ActionInput,
): Readonly<Record<string, unknown>> {
  if (!template) return input
  return fill(template, valuesOf(action, input)) as Readonly<Record<string, unknown>>
}

/** The placeholders of a template that the input of the action never has. */
export function unknownPlaceholders(template: Template, action: Action): readonly string[] {
  const known = new Set(placeholdersOf(action))
  return [...textsIn(template)]
    .flatMap((text) => [...text.matchAll(placeholder)].map(([, name = '']) => name))
    .filter((name) => !known.has(name))
}

export function placeholdersOf(action: Action): readonly string[] {
  return ['prompt', ...Object.keys(actionFields[action])]
}

/** A caller may write the task as `text` or in the field of its own, and a template may use either. */
function valuesOf(action: Action, input: ActionInput): ReadonlyMap<string, string> {
  const { prompt } = actionPrompt(action, input)
  const main = ['question', 'query', 'instructions'].find((field) => field in actionFields[action])
  const task = input['text'] ?? (main && input[main])
  const values = { text: task, ...(main !== undefined && { [main]: task }), ...input, prompt }
  return new Map(Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

function fill(value: unknown, values: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return fillText(value, values)
  if (Array.isArray(value)) return value.map((item) => fill(item, values)).filter((item) => item !== undefined)
  if (typeof value !== 'object' || value === null) return value
  const filled = Object.entries(value).map(([key, item]) => [key, fill(item, values)] as const)
  return Object.fromEntries(filled.filter(([, item]) => item !== undefined))
}

function fillText(text: string, values: ReadonlyMap<string, string>): string | undefined {
  const [, alone] = /^\{([a-z_]+)\}$/.exec(text) ?? []
  if (alone !== undefined) return values.get(alone)
  return text.replaceAll(placeholder, (_, name: string) => values.get(name) ?? '')
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) yield* textsIn(item)
}

/** A tool from zod schemas: arguments are checked, the result is given as text and as structured content. */
import { z } from 'zod'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Call, InputRequired, JsonSchema, Tool } from './provider.ts'
import { isInputRequired } from './provider.ts'
import type { CallToolResult, ToolAnnotations } from './sdk.ts'
import { explainWrongArguments } from './wrong-arguments.ts'

export interface ToolSpec<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly input: Input
  readonly output: Output
  readonly annotations: ToolAnnotations
  readonly alwaysListed?: boolean
  readonly answersOnce?: boolean
  readonly unrecorded?: readonly string[]
  /** How the result is shown, where that is not as text and structured content; `output` is then promised to nobody. */
  readonly present?: (result: z.input<Output>) => CallToolResult
  run(args: z.output<Input>, call: Call): Promise<z.input<Output> | InputRequired>
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(spec: ToolSpec<Input, Output>): Tool {
  const { input, output, run, present, ...listed } = spec
  const show = present ?? structured
  return {
    ...listed,
    // When they are first listed: a hub that starts has better things to do.
    get inputSchema() {
      return toJsonSchema(input, 'input')
    },
    get outputSchema() {
      return present ? undefined : toJsonSchema(output, 'output')
    },
    async run(args, call) {
      const parsed = input.safeParse(args)
      if (!parsed.success) return toolError(explainWrongArguments(parsed.error, Object.keys(input.shape)))
      try {
        const outcome = await run(parsed.data, call)
        return isInputRequired(outcome) ? outcome : show(outcome)
      } catch (error) {
        if (error instanceof HubError) return toolError(messageOf(error))
        throw error
      }
    },
  }
}

/** Given twice, since some clients show their model only the one, some only the other. */
export function structured(value: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value }
}

/** A failure the model shall see: several clients hide JSON-RPC errors from it. */
export function toolError(message: string): CallToolResult {
  return { content: [{ type: 'text', text: message }], isError: true }
}

const described = { input: new WeakMap<z.ZodObject, JsonSchema>(), output: new WeakMap<z.ZodObject, JsonSchema>() }

/** That an integer is one that can be counted to goes without saying, and would be said for each. */
function leaveOutObvious({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}

/** Tools that are defined anew for each session share their schemas. */
function toJsonSchema(schema: z.ZodObject, io: 'input' | 'output'): JsonSchema {
  const known = described[io].get(schema)
  if (known) return known
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, override: leaveOutObvious })
  described[io].set(schema, json)
  return json
}

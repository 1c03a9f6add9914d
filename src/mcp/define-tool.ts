/** Makes a tool from zod schemas. It checks the arguments, and returns the result as text and as structured content. */
import { z } from 'zod'
import { HubError, messageOf } from '../base/hub-error.ts'
import { plainIssue } from '../base/plain-issue.ts'
import type { Call, InputRequired, JsonSchema, Tool } from './provider.ts'
import { isInputRequired } from './provider.ts'
import type { CallToolResult, ToolAnnotations } from './sdk.ts'
import type { Meta } from './wire.ts'
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
  /** Presents the result in another way than as text and structured content. `output` is then not listed. */
  readonly present?: (result: z.input<Output>) => CallToolResult
  /** The `_meta` of the result. */
  readonly meta?: (result: z.input<Output>, call: Call) => Meta
  run(args: z.output<Input>, call: Call): Promise<z.input<Output> | InputRequired>
}

/** A failure that the model must see, with a `_meta` for programs. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
  readonly meta: Meta

  constructor(message: string, meta: Meta) {
    super(message)
    this.meta = meta
  }
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(spec: ToolSpec<Input, Output>): Tool {
  const { input, output, run, present, meta, ...listed } = spec
  const show = present ?? structured
  return {
    ...listed,
    // Schemas are converted when they are first listed, not while the hub starts.
    get inputSchema() {
      return toJsonSchema(input, 'input')
    },
    get outputSchema() {
      return present ? undefined : toJsonSchema(output, 'output')
    },
    async run(args, call) {
      const parsed = input.safeParse(args, { error: plainIssue })
      if (!parsed.success) return toolError(explainWrongArguments(parsed.error, Object.keys(input.shape)))
      try {
        const outcome = await run(parsed.data, call)
        if (isInputRequired(outcome)) return outcome
        return meta ? { ...show(outcome), _meta: meta(outcome, call) } : show(outcome)
      } catch (error) {
        if (error instanceof ToolFailure) return { ...toolError(error.message), _meta: error.meta }
        if (error instanceof HubError) return toolError(messageOf(error))
        throw error
      }
    },
  }
}

/** The result appears twice, since some clients show their model only one of the two forms. */
export function structured(value: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value }
}

/** A failure that the model must see. Several clients hide JSON-RPC errors from their model. */
export function toolError(message: string): CallToolResult {
  return { content: [{ type: 'text', text: message }], isError: true }
}

const described = { input: new WeakMap<z.ZodObject, JsonSchema>(), output: new WeakMap<z.ZodObject, JsonSchema>() }

/** zod adds limits to every integer and a pattern to every format. They tell a client nothing and make lists longer. */
function leaveOutObvious({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern
}

/**
 * Drops limits that a model hardly reaches, and the note that other arguments are refused. `run` checks both and
 * explains mistakes.
 */
function leaveOutUnneeded(context: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  leaveOutObvious(context)
  const { jsonSchema } = context
  for (const limit of ['minLength', 'maxLength', 'maxItems', 'propertyNames'] as const) delete jsonSchema[limit]
  const { additionalProperties: others } = jsonSchema
  if (!others || Object.keys(others).length === 0) delete jsonSchema.additionalProperties
}

const leaveOut = { input: leaveOutUnneeded, output: leaveOutObvious }

/** Caches by schema: each session defines its own tools, but they share their schemas. */
function toJsonSchema(schema: z.ZodObject, io: 'input' | 'output'): JsonSchema {
  const known = described[io].get(schema)
  if (known) return known
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, override: leaveOut[io] })
  described[io].set(schema, json)
  return json
}

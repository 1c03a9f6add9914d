/**
 * A terminal tool is written once and offered in two forms: to people, who name the session first, and to the agent of
 * a session, for its own terminal only.
 */
import { z } from 'zod'
import type { Call, CallToolResult, Tool } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import type { FindTarget, ToolTarget } from './tool-target.ts'

export interface TerminalTool {
  readonly name: string
  forPeople(find: FindTarget): Tool
  /** Without an output schema, to keep the tool list of an agent short. */
  forAgent(target: () => Promise<ToolTarget>, prefix: string): Tool
}

export interface TerminalToolSpec<
  Input extends z.ZodRawShape,
  PeopleInput extends z.ZodRawShape,
  Output extends z.ZodObject,
> {
  readonly name: string
  readonly description: string
  readonly input: Input
  /** Further arguments that only people need. */
  readonly peopleInput?: PeopleInput
  readonly output: Output
  readonly annotations: Tool['annotations']
  readonly unrecorded?: readonly string[]
  readonly present?: (result: z.input<Output>) => CallToolResult
  run(
    target: ToolTarget,
    args: z.output<z.ZodObject<Input>> & Partial<z.output<z.ZodObject<PeopleInput>>>,
    call: Call,
  ): Promise<z.input<Output>>
}

export const readOnly: Tool['annotations'] = { readOnlyHint: true, openWorldHint: false }

/**
 * `destructive`: it may overwrite or lose something. `idempotent`: calling it twice has the effect of calling it once.
 */
export function writing(hints: { readonly destructive: boolean; readonly idempotent: boolean }): Tool['annotations'] {
  return {
    readOnlyHint: false,
    destructiveHint: hints.destructive,
    idempotentHint: hints.idempotent,
    openWorldHint: false,
  }
}

const nothing = {}
const session = z.string().min(1).max(200).describe('Name or id.')

export function defineTerminalTool<
  Input extends z.ZodRawShape,
  Output extends z.ZodObject,
  PeopleInput extends z.ZodRawShape = typeof nothing,
>(spec: TerminalToolSpec<Input, PeopleInput, Output>): TerminalTool {
  type Arguments = Parameters<typeof run>[1]
  const { input, peopleInput = nothing, run, ...listed } = spec
  const peopleSchema: z.ZodObject = z.strictObject({ session, ...input, ...peopleInput })
  const agentSchema: z.ZodObject = z.strictObject(input)
  return {
    name: spec.name,
    forPeople: (find) =>
      defineTool({
        ...listed,
        input: peopleSchema,
        run: async ({ session: named, ...args }, call) => run(await find(named as string), args as Arguments, call),
      }),
    forAgent(target, prefix) {
      const { outputSchema: _, ...tool } = defineTool({
        ...listed,
        name: prefix + spec.name,
        input: agentSchema,
        run: async (args, call) => run(await target(), args as Arguments, call),
      })
      return tool
    },
  }
}

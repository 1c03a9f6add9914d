/** Makes a tool whose result is raw MCP content. */
import type { Call, InputRequired, JsonSchema, Tool } from '../../src/mcp/mcp.ts'
import type { CallToolResult } from '../../src/mcp/sdk.ts'

type Run = (args: Readonly<Record<string, unknown>>, call: Call) => Outcome | Promise<Outcome>
type Outcome = CallToolResult | InputRequired

export function fixtureTool(
  name: string,
  description: string,
  run: Run,
  inputSchema: JsonSchema = { type: 'object' },
): Tool {
  return {
    name,
    description,
    inputSchema,
    annotations: { readOnlyHint: true },
    run: async (args, call) => run(args, call),
  }
}

export function text(words: string): CallToolResult {
  return { content: [{ type: 'text', text: words }] }
}

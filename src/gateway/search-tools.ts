/** For clients that drown in a long list: two tools that find and call all the others. Listed only where asked for. */
import { z } from 'zod'
import type { Call, Face, Provider, Tool } from '../mcp/mcp.ts'
import { defineTool, errorCode, RpcError } from '../mcp/mcp.ts'

const foundSchema = z.object({
  name: z.string(),
  description: z.string(),
  input_schema: z.record(z.string(), z.unknown()),
})

export function createSearchProvider(face: () => Face): Provider {
  const search = defineTool({
    name: 'search_tools',
    description: 'Finds tools by words of their names and descriptions. Call what you find with call_tool.',
    input: z.strictObject({ query: z.string().max(1_000), limit: z.int().min(1).max(50).default(10) }),
    output: z.object({ tools: z.array(foundSchema), total: z.int() }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    async run({ query, limit }) {
      await face().comingUp()
      const words = wordsOf(query)
      const ranked = (await listedTools(face()))
        .map((tool) => ({ tool, score: scoreOf(tool, words) }))
        .filter(({ score }) => score > 0 || words.length === 0)
        .toSorted((one, other) => other.score - one.score)
      return { tools: ranked.slice(0, limit).map(({ tool }) => tool), total: ranked.length }
    },
  })
  const passage: Tool = {
    ...defineTool({
      name: 'call_tool',
      description: 'Calls a tool by its name, as search_tools found it.',
      input: z.strictObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) }),
      output: z.object({}),
      annotations: { readOnlyHint: false, openWorldHint: true },
      run: async () => ({}),
    }),
    isPassage: true,
    run: (args, call) => callThrough(face(), args, call),
  }
  const { outputSchema: _, ...callTool } = passage
  const tools = [{ ...search, policyName: 'hub_search_tools' }, callTool]
  return { toolset: 'search', tools: () => tools }
}

type Found = z.output<typeof foundSchema>

async function listedTools(face: Face): Promise<readonly Found[]> {
  return (await face.listTools(face.defaultToolsets)).map((listed) => {
    const { name, description, inputSchema } = listed as { name: string; description?: unknown; inputSchema?: object }
    // An upstream may have written anything.
    return { name, description: typeof description === 'string' ? description : '', input_schema: { ...inputSchema } }
  })
}

function wordsOf(query: string): readonly string[] {
  return query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** A word in the name tells more than one in the description. */
function scoreOf({ name, description }: Found, words: readonly string[]): number {
  const text = description.toLowerCase()
  return words.reduce((score, word) => score + (name.includes(word) ? 3 : 0) + (text.includes(word) ? 1 : 0), 0)
}

async function callThrough(face: Face, args: Readonly<Record<string, unknown>>, call: Call) {
  const { name, arguments: given = {} } = args
  const find = () => (typeof name === 'string' ? face.findTool(name) : undefined)
  if (typeof name === 'string' && !find()) await face.comingUp(name)
  const tool = find()
  if (!tool || tool.isPassage) {
    throw new RpcError(
      errorCode.invalidParams,
      `Unknown tool: "${String(name).slice(0, 200)}". Ask search_tools for the names.`,
    )
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new RpcError(errorCode.invalidParams, '"arguments" must be an object.')
  }
  const inner = given as Readonly<Record<string, unknown>>
  return face.callTool(tool, inner, call.with({ params: { ...call.params, name: tool.name, arguments: inner } }))
}

/**
 * Two tools that find and call all the others. A person's short list has them. Agents see them only on request: they are
 * for clients that cannot handle a long list.
 */
import { z } from 'zod'
import { searchedToolsets } from '../api/toolsets.ts'
import type { Call, FaceContents, Provider, Tool } from '../mcp/mcp.ts'
import { defineTool, errorCode, isRecord, RpcError } from '../mcp/mcp.ts'

const foundSchema = z.object({
  name: z.string(),
  description: z.string(),
  input_schema: z.record(z.string(), z.unknown()),
})

export function createSearchProvider(face: FaceContents): Provider {
  const search = defineTool({
    name: 'search_tools',
    description:
      'Finds tools by words of their names and descriptions, also tools that are not listed. Call what you find with call_tool.',
    input: z.strictObject({ query: z.string().max(1_000), limit: z.int().min(1).max(50).default(10) }),
    output: z.object({ tools: z.array(foundSchema), total: z.int() }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    async run({ query, limit }) {
      await face.waitForStart()
      const words = wordsOf(query)
      const ranked = (await listedTools(face))
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
    isPassThrough: true,
    run: (args, call) => callThrough(face, args, call),
  }
  const { outputSchema: _, ...callTool } = passage
  const tools = [{ ...search, subject: { tool: 'hub_search_tools' } }, callTool]
  return { toolset: 'search', tools: () => tools }
}

type Found = z.output<typeof foundSchema>

async function listedTools(face: FaceContents): Promise<readonly Found[]> {
  return (await face.listTools(searchedToolsets)).map((listed) => {
    const { name, description, inputSchema } = listed as { name: string; description?: unknown; inputSchema?: object }
    // An upstream may send a description of any type.
    return { name, description: typeof description === 'string' ? description : '', input_schema: { ...inputSchema } }
  })
}

function wordsOf(query: string): readonly string[] {
  return query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** A match in the name counts more than one in the description. */
function scoreOf({ name, description }: Found, words: readonly string[]): number {
  const text = description.toLowerCase()
  return words.reduce((score, word) => score + (name.includes(word) ? 3 : 0) + (text.includes(word) ? 1 : 0), 0)
}

async function callThrough(face: FaceContents, args: Readonly<Record<string, unknown>>, call: Call) {
  const { name, arguments: given = {} } = args
  const find = () => (typeof name === 'string' ? face.findTool(name) : undefined)
  if (typeof name === 'string' && !find()) await face.waitForStart({ tool: name })
  const tool = find()
  if (!tool || tool.isPassThrough) {
    throw new RpcError(
      errorCode.invalidParams,
      typeof name === 'string'
        ? `Unknown tool: "${name.slice(0, 200)}". Call search_tools for the names.`
        : '"name" must be a string.',
    )
  }
  if (!isRecord(given)) throw new RpcError(errorCode.invalidParams, '"arguments" must be an object.')
  return face.callTool(tool, given, call.with({ params: { ...call.params, name: tool.name, arguments: given } }))
}

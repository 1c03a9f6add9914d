/** What the agent does in each scenario. */
import { z } from 'zod'
import type { ListedTool } from './agent.ts'
import { mounted, withLogins } from './enter.ts'
import type { Visit } from './visit.ts'

type Play = (visit: Visit) => Promise<void>

/** Wherever nothing else is said, every tool that is listed is called. */
export function playOf(scenario: string): Play {
  return plays[scenario] ?? callEveryTool
}

const plays: Readonly<Record<string, Play>> = {
  initialize: connect,
  'request-metadata': connect,
  'json-schema-ref-no-deref': async (visit) => void (await listedTools(visit)),
  'json-schema-2020-12-preservation': sendBackSchema,
  'http-custom-headers': callAsTold,
  'http-standard-headers': useEverything,
}

function connect(visit: Visit): Promise<void> {
  return withLogins(visit, () => mounted(visit))
}

async function callEveryTool(visit: Visit): Promise<void> {
  for (const tool of await listedTools(visit)) await call(visit, tool, sampleOf(tool.inputSchema))
}

async function useEverything(visit: Visit): Promise<void> {
  await callEveryTool(visit)
  await visit.agent.readResources()
  await visit.agent.getPrompts()
}

async function callAsTold(visit: Visit): Promise<void> {
  const { toolCalls } = told.parse(visit.context)
  const tools = await listedTools(visit)
  for (const { name, arguments: args } of toolCalls) await call(visit, named(tools, name), args)
}

const told = z.object({
  toolCalls: z.array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) })),
})

async function sendBackSchema(visit: Visit): Promise<void> {
  const tools = await listedTools(visit)
  const { inputSchema } = named(tools, 'json_schema_2020_12_tool')
  await call(visit, named(tools, 'json_schema_echo'), { schema: inputSchema })
}

async function listedTools(visit: Visit): Promise<readonly ListedTool[]> {
  await connect(visit)
  return visit.agent.tools()
}

function call(visit: Visit, tool: ListedTool, args: Readonly<Record<string, unknown>>): Promise<void> {
  return withLogins(visit, () => visit.agent.call(tool, args))
}

function named(tools: readonly ListedTool[], name: string): ListedTool {
  const found = tools.find(({ original }) => original === name)
  if (!found)
    throw new Error(`The tool ${name} is not listed, but ${tools.map(({ original }) => original).join(', ')}.`)
  return found
}

const schema = z.object({ properties: z.record(z.string(), z.object({ type: z.string().default('') })).default({}) })

/** Something for each argument that is a number or a text. */
function sampleOf(inputSchema: unknown): Readonly<Record<string, unknown>> {
  const { properties } = schema.parse(inputSchema)
  const samples: Readonly<Record<string, unknown>> = { number: 5, integer: 5, string: 'text', boolean: true }
  return Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, samples[type]]))
}

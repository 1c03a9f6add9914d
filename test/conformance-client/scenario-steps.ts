/** The agent's steps in each scenario. */
import { z } from 'zod'
import type { ListedTool } from './agent.ts'
import { mounted, withLogins } from './login.ts'
import type { ScenarioRun } from './scenario-run.ts'

type Steps = (run: ScenarioRun) => Promise<void>

/** By default the agent calls every listed tool. */
export function stepsOf(scenario: string): Steps {
  return steps[scenario] ?? callEveryTool
}

const steps: Readonly<Record<string, Steps>> = {
  initialize: connect,
  'request-metadata': connect,
  'json-schema-ref-no-deref': async (run) => void (await listedTools(run)),
  'json-schema-2020-12-preservation': sendBackSchema,
  'http-custom-headers': callAsInstructed,
  'http-standard-headers': useEverything,
}

function connect(run: ScenarioRun): Promise<void> {
  return withLogins(run, () => mounted(run))
}

async function callEveryTool(run: ScenarioRun): Promise<void> {
  for (const tool of await listedTools(run)) await call(run, tool, sampleOf(tool.inputSchema))
}

async function useEverything(run: ScenarioRun): Promise<void> {
  await callEveryTool(run)
  await run.agent.readResources()
  await run.agent.getPrompts()
}

async function callAsInstructed(run: ScenarioRun): Promise<void> {
  const { toolCalls } = instructions.parse(run.context)
  const tools = await listedTools(run)
  for (const { name, arguments: args } of toolCalls) await call(run, named(tools, name), args)
}

const instructions = z.object({
  toolCalls: z.array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) })),
})

async function sendBackSchema(run: ScenarioRun): Promise<void> {
  const tools = await listedTools(run)
  const { inputSchema } = named(tools, 'json_schema_2020_12_tool')
  await call(run, named(tools, 'json_schema_echo'), { schema: inputSchema })
}

async function listedTools(run: ScenarioRun): Promise<readonly ListedTool[]> {
  await connect(run)
  return run.agent.tools()
}

function call(run: ScenarioRun, tool: ListedTool, args: Readonly<Record<string, unknown>>): Promise<void> {
  return withLogins(run, () => run.agent.call(tool, args))
}

function named(tools: readonly ListedTool[], name: string): ListedTool {
  const found = tools.find(({ original }) => original === name)
  if (!found)
    throw new Error(
      `The tool ${name} is not listed. The listed tools are: ${tools.map(({ original }) => original).join(', ')}.`,
    )
  return found
}

const schema = z.object({ properties: z.record(z.string(), z.object({ type: z.string().default('') })).default({}) })

/** Sample values for the arguments. */
function sampleOf(inputSchema: unknown): Readonly<Record<string, unknown>> {
  const { properties } = schema.parse(inputSchema)
  const samples: Readonly<Record<string, unknown>> = { number: 5, integer: 5, string: 'text', boolean: true }
  return Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, samples[type]]))
}

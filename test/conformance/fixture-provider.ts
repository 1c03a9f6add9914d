/**
 * Everything that the conformance suite expects, offered through one `Provider` for both eras, as any feature does it. The
 * suite dictates the names and texts.
 */
import type { Notices, Prompt, Provider, Tool } from '../../src/mcp/mcp.ts'
import { askingTools } from './asking-tools.ts'
import { contentTools } from './content-tools.ts'
import { fixturePrompts } from './fixture-prompts.ts'
import { fixtureResources, fixtureTemplates } from './fixture-resources.ts'
import { fixtureTool, text } from './fixture-tool.ts'
import { inputRequiredTools } from './input-required-tools.ts'
import { schemaTools } from './schema-tools.ts'
import { streamingTools } from './streaming-tools.ts'

export function createFixtureProvider({ notices }: { notices: Notices }): Provider {
  const comesAndGoes = { tool: false, prompt: false }
  const changeTools = fixtureTool('test_trigger_tool_change', 'Adds a tool to the list, or removes it.', () => {
    comesAndGoes.tool = !comesAndGoes.tool
    notices.listChanged('tools')
    return text('The tools have changed.')
  })
  const changePrompts = fixtureTool('test_trigger_prompt_change', 'Adds a prompt to the list, or removes it.', () => {
    comesAndGoes.prompt = !comesAndGoes.prompt
    notices.listChanged('prompts')
    return text('The prompts have changed.')
  })
  const tools = [
    ...contentTools,
    ...streamingTools,
    ...askingTools,
    ...inputRequiredTools,
    ...schemaTools,
    changeTools,
    changePrompts,
  ]
  return {
    toolset: 'conformance',
    tools: () => (comesAndGoes.tool ? [...tools, passingTool] : tools),
    prompts: () => (comesAndGoes.prompt ? [...fixturePrompts, passingPrompt] : fixturePrompts),
    resources: () => fixtureResources,
    resourceTemplates: () => fixtureTemplates,
  }
}

const passingTool: Tool = fixtureTool('test_passing_tool', 'Comes and goes.', () => text('Still here.'))

const passingPrompt: Prompt = {
  name: 'test_passing_prompt',
  description: 'Comes and goes.',
  get: async () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'Still here.' } }] }),
}

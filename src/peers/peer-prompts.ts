/** The prompts of templates, for the agents of sessions. */
import type { TemplatePrompt } from '../api/template.ts'
import type { Prompt } from '../mcp/mcp.ts'

export interface PromptTemplates {
  list(): readonly { readonly template: { readonly name: string; readonly prompts: readonly TemplatePrompt[] } }[]
}

export function promptsOf(templates: PromptTemplates): readonly Prompt[] {
  return templates.list().flatMap(({ template }) => template.prompts.map((prompt) => toPrompt(template.name, prompt)))
}

function toPrompt(template: string, { name, description, arguments: wanted, text }: TemplatePrompt): Prompt {
  return {
    name: `sessions_${template.replaceAll('-', '_')}_${name}`,
    description,
    arguments: wanted.map(({ name: argument, description: meaning, required }) => ({
      name: argument,
      required,
      ...(meaning !== undefined && { description: meaning }),
    })),
    subject: { tool: 'sessions_read' },
    async get(args) {
      const filled = text.replace(/\{([a-z][a-z0-9_]*)\}/g, (whole, argument: string) =>
        wanted.some((each) => each.name === argument) ? (args[argument] ?? '') : whole,
      )
      return { description, messages: [{ role: 'user', content: { type: 'text', text: filled } }] }
    },
  }
}

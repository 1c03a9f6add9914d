/** list_templates, save_template, delete_template and `resource://templates` */
import { z } from 'zod'
import { templateSchema } from '../api/template.ts'
import { type Provider, type Resource, defineTool } from '../mcp/mcp.ts'
import type { ListedTemplate, Templates } from './templates.ts'

export const templatesUri = 'resource://templates'
const mimeType = 'application/json'

const listedSchema = templateSchema.extend({
  label: z.string(),
  available: z.boolean(),
  why_not: z.string().optional().describe('What is missing, and how to install it.'),
  source: z.string().describe('"shipped", or the path of its file.'),
})

const brokenSchema = z.object({
  path: z.string(),
  line: z.int().optional(),
  column: z.int().optional(),
  reason: z.string(),
})

const listSchema = z.object({
  templates: z.array(listedSchema),
  broken: z.array(brokenSchema).describe('Files that are no template, and why.'),
})

/** `checkPolicy` throws where a policy cannot be understood: better now than with each call of a session. */
export function createTemplateProvider(
  templates: Templates,
  checkPolicy: (source: string) => Promise<void> = async () => {},
): Provider {
  function list(hidden: boolean): z.input<typeof listSchema> {
    const listed = templates.list().filter(({ template }) => hidden || !template.hidden)
    return { templates: listed.map(toWire), broken: [...templates.broken()] }
  }

  const tools = [
    defineTool({
      name: 'list_templates',
      description: 'The kinds of session that can be started, and whether what each needs is installed here.',
      input: z.strictObject({
        hidden: z.boolean().default(false).describe('Also those that are not meant for people.'),
      }),
      output: listSchema,
      annotations: { readOnlyHint: true, openWorldHint: false },
      run: async ({ hidden }) => list(hidden),
    }),
    defineTool({
      name: 'save_template',
      description:
        'Writes a template of your own, over an older one of the same name; a shipped one of that name is hidden by it. Fields as in list_templates.',
      input: z.strictObject({
        payload: z.record(z.string(), z.unknown()).describe('The template: at least "name" and "command".'),
        include_sources: z
          .array(z.string())
          .default([])
          .describe('Whole paths of files that are copied to the template, so that "include_files" can name them.'),
      }),
      output: z.object({ path: z.string() }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      async run({ payload, include_sources }) {
        if (typeof payload['policy'] === 'string') await checkPolicy(payload['policy'])
        return templates.save(payload, include_sources)
      },
    }),
    defineTool({
      name: 'delete_template',
      description:
        'Deletes a template of your own and the files that were copied to it. Sessions that run are not touched.',
      input: z.strictObject({ name: z.string() }),
      output: z.object({ name: z.string() }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      async run({ name }) {
        await templates.delete(name)
        return { name }
      },
    }),
  ]
  const resource: Resource = {
    uri: templatesUri,
    name: 'templates',
    description: 'The kinds of session that can be started, and the template files that are broken.',
    mimeType,
    read: async () => ({ contents: [{ uri: templatesUri, mimeType, text: JSON.stringify(list(false)) }] }),
  }
  return { toolset: 'sessions', tools: () => tools, resources: () => [resource] }
}

function toWire({ template, source, available, whyNot }: ListedTemplate): z.input<typeof listedSchema> {
  return {
    ...template,
    label: template.label ?? template.name,
    available,
    ...(whyNot !== undefined && { why_not: whyNot }),
    source,
  }
}

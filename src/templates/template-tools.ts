/** list_templates, save_template, delete_template and `resource://templates` */
import { z } from 'zod'
import { templateSchema } from '../api/template.ts'
import { type SessionStatus, livingStatuses } from '../api/session.ts'
import type { Feature } from '../feature/feature.ts'
import { type Provider, type Resource, defineTool } from '../mcp/mcp.ts'
import type { ListedTemplate, Templates } from './template.ts'

export const templatesUri = 'resource://templates'
const mimeType = 'application/json'

const listedSchema = templateSchema.extend({
  label: z.string(),
  available: z.boolean(),
  why_not: z.string().optional().describe('The missing part, and how to install it.'),
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
  broken: z.array(brokenSchema).describe('Files that are not valid, and why.'),
})

export interface TemplateToolsOptions {
  readonly templates: Templates
  readonly policies: { check(source: string): Promise<void> }
  readonly sessions: {
    list(filter: {
      readonly hubId: string
      readonly statuses: readonly SessionStatus[]
    }): Promise<readonly { readonly name: string; readonly template: string }[]>
  }
  readonly hubId: string
}

export function createTemplateTools({ templates, policies, sessions, hubId }: TemplateToolsOptions): Feature {
  async function sessionsOf(template: string): Promise<readonly string[]> {
    const living = await sessions.list({ hubId, statuses: livingStatuses })
    return living.filter((session) => session.template === template).map(({ name }) => name)
  }
  return {
    providers: [createTemplateProvider({ templates, checkPolicy: (source) => policies.check(source), sessionsOf })],
  }
}

export interface TemplateProviderOptions {
  readonly templates: Templates
  /** Throws if a policy is invalid, which is better than to fail on each call of a session. */
  readonly checkPolicy: (source: string) => Promise<void>
  /** The names of the living sessions of a template. */
  readonly sessionsOf: (template: string) => Promise<readonly string[]>
}

export function createTemplateProvider({ templates, checkPolicy, sessionsOf }: TemplateProviderOptions): Provider {
  function list(hidden: boolean): z.input<typeof listSchema> {
    const listed = templates.list().filter(({ template }) => hidden || !template.hidden)
    return { templates: listed.map(toWire), broken: [...templates.broken()] }
  }

  const tools = [
    defineTool({
      name: 'list_templates',
      description: 'Lists the kinds of session you can start, and whether their programs are installed here.',
      input: z.strictObject({
        hidden: z.boolean().default(false).describe('Include those not meant for people.'),
      }),
      output: listSchema,
      annotations: { readOnlyHint: true, openWorldHint: false },
      run: async ({ hidden }) => list(hidden),
    }),
    defineTool({
      name: 'save_template',
      description:
        'Writes a template of your own. It replaces an older one, and hides a shipped one, of the same name. Fields as in list_templates.',
      input: z.strictObject({
        payload: z.record(z.string(), z.unknown()).describe('The template, with at least "name" and "command".'),
        include_sources: z
          .array(z.string())
          .default([])
          .describe('Full paths of files to copy to the template, so that "include_files" can name them.'),
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
        'Deletes a template of your own and its copied files. Running sessions continue, and its policy stays in force for them.',
      input: z.strictObject({ name: z.string() }),
      output: z.object({
        name: z.string(),
        sessions: z.array(z.string()).describe('Living sessions of this template.'),
        note: z.string().optional(),
      }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      async run({ name }) {
        await templates.delete(name)
        const sessions = await sessionsOf(name)
        return { name, sessions: [...sessions], ...(sessions.length > 0 && { note: stillInForce(sessions) }) }
      },
    }),
  ]
  const resource: Resource = {
    uri: templatesUri,
    name: 'templates',
    description: 'The kinds of session you can start, and the broken template files.',
    mimeType,
    read: async () => ({ contents: [{ uri: templatesUri, mimeType, text: JSON.stringify(list(false)) }] }),
  }
  return { toolset: 'sessions', tools: () => tools, resources: () => [resource] }
}

function stillInForce(sessions: readonly string[]): string {
  const [use, them] = sessions.length === 1 ? ['session uses', 'it'] : ['sessions use', 'them']
  return `${sessions.length} living ${use} this template: ${sessions.join(', ')}. The template's policy stays in force for ${them}.`
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

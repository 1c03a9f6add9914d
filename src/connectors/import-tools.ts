/** import_connectors */
import { z } from 'zod'
import { connectorSchema } from '../api/connector.ts'
import { HubError } from '../base/hub-error.ts'
import { defineTool, type Tool } from '../mcp/mcp.ts'
import { foreignPrograms, readForeignFiles } from './foreign-files.ts'
import { importFormats } from './formats/read.ts'
import type { Imports } from './import-connectors.ts'

export function createImportTools(deps: { readonly imports: Imports; readonly home: string }): readonly Tool[] {
  const { imports, home } = deps
  return [
    defineTool({
      name: 'import_connectors',
      description:
        'Takes over MCP servers from "claude mcp add …" lines, the JSON or TOML of other programs, or their own files. Shows what it would do; with dry_run false it does it, all or nothing. A secret becomes a variable of the hub, and "secrets" says which to set.',
      input: z.strictObject({
        text: z.string().max(1_000_000).optional().describe('Command lines, JSON or TOML.'),
        from: z.enum(foreignPrograms).optional().describe("The files of this program, on the hub's machine."),
        format: z
          .enum([...importFormats, 'gemini'])
          .optional()
          .describe('Of the text, where it is not plain to see.'),
        program: z.enum(foreignPrograms).optional().describe('Where the text is from; names what would clash.'),
        replace: z
          .boolean()
          .default(false)
          .describe('Change a connector of the same name. Without it, one that differs is added under another name.'),
        dry_run: z.boolean().default(true),
      }),
      output: z.object({
        add: z.array(connectorSchema),
        change: z.array(connectorSchema.extend({ changed: z.array(z.string()).describe('Its fields that change.') })),
        remove: z.array(z.string()),
        secrets: z.array(z.object({ connector: z.string(), variable: z.string(), how: z.string() })),
        warnings: z.array(z.string()),
        files: z.array(z.string()).optional().describe('Those that were read.'),
        done: z.boolean(),
      }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      unrecorded: ['text'],
      async run({ text, from, format, program, replace: isReplacing, dry_run: isDryRun }) {
        if ((text === undefined) === (from === undefined)) {
          throw new HubError('invalid', `Give either "text", or "from": one of ${foreignPrograms.join(', ')}.`)
        }
        const files = from && (await readForeignFiles(from, { home }))
        const isGemini = format === 'gemini' || from === 'gemini'
        const plan = await imports.plan(files?.text ?? text ?? '', {
          format: format === 'gemini' ? 'json' : format,
          hasBareVariables: isGemini,
          program: from ?? program,
          isReplacing,
        })
        if (!isDryRun) await imports.apply(plan)
        return {
          add: [...plan.add],
          change: plan.change.map(({ connector, fields }) => ({ ...connector, changed: [...fields] })),
          remove: [...plan.remove],
          secrets: [...plan.secrets],
          warnings: [...plan.warnings],
          ...(files && { files: [...files.paths] }),
          done: !isDryRun,
        }
      },
    }),
  ]
}

/** list_policies, list_policy_versions */
import { z } from 'zod'
import { policyScopes } from '../api/policy.ts'
import type { Policy } from '../policy/policy.ts'
import { compilePolicy } from '../policy/policy.ts'
import { HubError } from '../base/hub-error.ts'
import type { Tool } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import { ownerArguments } from './arguments.ts'
import type { PolicyDocuments } from './policy-documents.ts'
import { policyOrigins } from './policy-documents.ts'
import type { SavedPolicy } from './policy-store.ts'
import { summaryOf } from './version-summary.ts'

const listedVersions = 20
const mostVersions = 100

export function createPolicyHistoryTools(documents: PolicyDocuments): readonly Tool[] {
  return [
    defineTool({
      name: 'list_policies',
      description: 'The policies that apply now: of the hub, of templates and of living sessions that have one.',
      input: z.strictObject({}),
      output: z.object({
        policies: z.array(
          z.object({
            scope: z.enum(policyScopes),
            target: z.string().optional().describe('The template, or the session’s name.'),
            version: z.int().describe('0 if none was saved.'),
            origin: z.enum(policyOrigins),
            saved_at: z.string().optional(),
            saved_by: z.string().optional(),
            fault: z.string().optional().describe('Why the template’s file cannot be used.'),
          }),
        ),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      async run() {
        const policies = (await documents.inForce()).map(({ saved, target, ...rest }) => ({
          ...rest,
          ...(target !== undefined && { target }),
          ...(saved && { saved_at: saved.savedAt, saved_by: saved.savedBy }),
        }))
        return { policies }
      },
    }),
    defineTool({
      name: 'list_policy_versions',
      description: 'The versions of a policy, newest first, and what each changed. get_policy reads one.',
      input: z.strictObject({
        ...ownerArguments,
        cursor: z.coerce.number().int().min(1).optional().describe('As in next_cursor; without it, from the newest.'),
        limit: z.int().min(1).max(mostVersions).default(listedVersions),
      }),
      output: z.object({
        versions: z.array(
          z.object({
            version: z.int(),
            saved_at: z.string(),
            saved_by: z.string(),
            removed: z.boolean().describe('Saved as empty: the shipped one, the template’s file or none applied then.'),
            summary: z.string(),
          }),
        ),
        next_cursor: z.string().optional(),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      async run({ scope, target, cursor = Number.MAX_SAFE_INTEGER, limit }) {
        const key = await documents.keyOf({ scope, target })
        // Reads one more version than the page holds, to compare the last version of the page with it.
        const found = await documents.versions(key, { before: cursor, limit: limit + 1 })
        const page = found.slice(0, limit)
        const versions = await Promise.all(page.map(async (each, index) => toWire(each, found[index + 1])))
        return { versions, ...(found.length > limit && { next_cursor: String(page.at(-1)?.version) }) }
      },
    }),
  ]
}

async function toWire(saved: SavedPolicy, before: SavedPolicy | undefined) {
  const { version, source, savedAt, savedBy } = saved
  const summary = await changeOf(saved, before)
  return { version, saved_at: savedAt, saved_by: savedBy, removed: source === '', summary }
}

async function changeOf(saved: SavedPolicy, before: SavedPolicy | undefined): Promise<string> {
  if (saved.source === '') return 'removed'
  if (!before) return 'the first version'
  const [old, next] = [await readIfValid(before), await readIfValid(saved)]
  return old && next ? summaryOf(old, next) : 'cannot be compared'
}

/** An earlier hub may have accepted a document that this one refuses. */
async function readIfValid({ source, scope, version }: SavedPolicy): Promise<Policy | undefined> {
  try {
    return await compilePolicy(source, { scope, version })
  } catch (error) {
    if (error instanceof HubError) return undefined
    throw error
  }
}

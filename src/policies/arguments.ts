/** Arguments and names that several policy tools share. */
import { z } from 'zod'
import { policyScopes } from '../api/policy.ts'
import { HubError } from '../base/hub-error.ts'
import type { Principal } from '../base/principal.ts'

export const ownerArguments = {
  scope: z.enum(policyScopes).default('hub'),
  target: z.string().min(1).max(200).optional().describe('The template, or the session by name or id.'),
}

export const callArguments = {
  tool: z.string().min(1).max(512).describe('<mount>_<tool>, as policies name it.'),
  arguments: z.record(z.string(), z.unknown()).default({}),
}

/** The name of a person in the records. */
export function personOf({ label, tokenId }: Principal): string {
  return label ?? `token ${tokenId}`
}

/** Names the argument in the error for a document that it contains. */
export async function inArgument<Result>(name: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof HubError) || error.data?.['line'] === undefined) throw error
    throw new HubError(error.code, `"${name}", ${error.message}`, { cause: error, data: error.data })
  }
}

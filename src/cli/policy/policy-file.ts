/** Reads a policy from a file or stdin, and checks it. */
import { HubError } from '../../base/hub-error.ts'
import { compilePolicy } from '../../policy/policy.ts'
import type { Policy } from '../../policy/policy.ts'
import type { CliContext } from '../command/command.ts'
import { readInputFile } from '../command/input-file.ts'

export async function readPolicyFile(file: string, context: CliContext): Promise<string> {
  return file === '-' ? context.readStdin() : readInputFile(file)
}

export type PolicyCheck =
  | { readonly is: 'valid'; readonly policy: Policy }
  | { readonly is: 'invalid'; readonly fault: string; readonly line?: number }

/** The same check as the hub makes when it saves a policy. Needs no hub. */
export async function checkPolicy(source: string): Promise<PolicyCheck> {
  try {
    return { is: 'valid', policy: await compilePolicy(source, { scope: 'hub', version: 0 }) }
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    const line = error.data?.['line']
    return { is: 'invalid', fault: error.message, ...(typeof line === 'number' && { line }) }
  }
}

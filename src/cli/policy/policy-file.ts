/** Reads a policy from a file or stdin, and checks it. */
import { readFile } from 'node:fs/promises'
import { HubError, messageOf } from '../../base/hub-error.ts'
import { compilePolicy } from '../../policy/policy.ts'
import type { Policy } from '../../policy/policy.ts'
import { CliError } from '../command/cli-error.ts'
import type { CliContext } from '../command/command.ts'

export async function readPolicyFile(file: string, context: CliContext): Promise<string> {
  if (file === '-') return context.readStdin()
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new CliError('failed', `${file} cannot be read: ${messageOf(error)}.`, { cause: error })
  }
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

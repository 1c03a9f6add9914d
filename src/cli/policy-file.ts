/** A policy in a file, or from stdin, and whether it can be used. */
import { readFile } from 'node:fs/promises'
import { HubError, messageOf } from '../base/hub-error.ts'
import { compilePolicy } from '../policy/policy.ts'
import type { Policy } from '../policy/policy.ts'
import { CliError } from './cli-error.ts'
import type { CliContext } from './command.ts'

export async function readPolicyFile(file: string, context: CliContext): Promise<string> {
  if (file === '-') return context.readStdin()
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new CliError('failed', `${file} cannot be read: ${messageOf(error)}.`, { cause: error })
  }
}

export type PolicyCheck =
  | { readonly is: 'good'; readonly policy: Policy }
  | { readonly is: 'broken'; readonly fault: string; readonly line?: number }

/** The same as the hub does when it is saved; no hub is needed. */
export async function checkPolicy(source: string): Promise<PolicyCheck> {
  try {
    return { is: 'good', policy: await compilePolicy(source, { scope: 'hub', version: 0 }) }
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    const line = error.data?.['line']
    return { is: 'broken', fault: error.message, ...(typeof line === 'number' && { line }) }
  }
}

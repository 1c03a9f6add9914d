import { readdir } from 'node:fs/promises'

/** Gemini CLI ignores `--admin-policy` if this folder has policies. */
export const systemPolicies = '/etc/gemini-cli/policies'

/** If the folder cannot be read, it may have some. */
export async function hasSystemPolicies(): Promise<boolean> {
  try {
    return (await readdir(systemPolicies)).length > 0
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

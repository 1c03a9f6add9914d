import { readdir } from 'node:fs/promises'

/** The names in a folder. A folder that does not exist has none. Throws if the folder cannot be read. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}

import { readdir } from 'node:fs/promises'

/** The names in a folder. None if there is no such folder. Throws if that cannot be known. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}

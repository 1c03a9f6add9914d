/** Keeps in the data directory how far the spans have been sent, so that the next hub continues there. */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { z } from 'zod'

const progressSchema = z.object({
  /** All spans that ended up to this event were sent. */
  cursor: z.int().min(0),
  /** The `seq` of earlier events whose spans have not ended. */
  open: z.array(z.int()).readonly(),
})
export type Progress = z.output<typeof progressSchema>

export interface ProgressFile {
  /** `undefined`: there is none yet. Rejects if it cannot be read. */
  read(): Promise<Progress | undefined>
  write(progress: Progress): Promise<void>
}

export function createProgressFile(path: string): ProgressFile {
  return {
    async read() {
      try {
        return progressSchema.parse(JSON.parse(await readFile(path, 'utf8')))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    async write(progress) {
      await writeFile(`${path}.new`, JSON.stringify(progress), { mode: 0o600 })
      await rename(`${path}.new`, path)
    },
  }
}

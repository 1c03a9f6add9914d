/** The call that a dialog of Gemini CLI may be about. A file keeps it, so that the next hub knows the call too. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { createSerial } from '../../base/serial.ts'

const pendingSchema = z.object({
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  cwd: z.string(),
  /** A rule or a grant allows it. */
  isAllowed: z.boolean(),
  /** The dialog could also be about another announced call, so only a person may allow it. */
  isDisputed: z.boolean().default(false),
})
export type PendingCall = z.output<typeof pendingSchema>

export interface PendingCallFile {
  read(): Promise<PendingCall | undefined>
  write(call: PendingCall): Promise<void>
  remove(): Promise<void>
}

export function pendingCallFile(directory: string): PendingCallFile {
  const path = join(directory, 'gemini-call.json')
  const oneByOne = createSerial()
  return {
    async read() {
      try {
        return pendingSchema.parse(JSON.parse(await readFile(path, 'utf8')))
      } catch {
        // There is none, or the hub was killed while it wrote. Then a person answers the dialog.
        return undefined
      }
    },
    write: (call) => oneByOne(() => writeFile(path, JSON.stringify(call), { mode: 0o600 })),
    remove: () => oneByOne(() => rm(path, { force: true })),
  }
}

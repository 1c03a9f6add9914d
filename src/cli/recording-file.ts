/** Recordings as files: the hub writes them, and we read them where it says they are. */
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { messageOf } from '../base/hub-error.ts'
import { ask } from './ask-hub.ts'
import { CliError } from './cli-error.ts'
import type { HubConnection } from './hub-client.ts'

const exported = z.object({ path: z.string(), bytes: z.number() })

/** A long recording takes a while to write. */
const exportWithinMs = 300_000

export async function exportRecording(hub: HubConnection, session: string): Promise<z.output<typeof exported>> {
  return exported.parse(await ask(hub, 'export_recording', { name: session }, { timeoutMs: exportWithinMs }))
}

export async function readRecording(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new CliError(
      'failed',
      `The recording ${path} cannot be read: ${messageOf(error)}. Is the hub on another machine? Then run this there.`,
      { cause: error },
    )
  }
}

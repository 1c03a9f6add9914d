/** The hub writes a recording to a file on its machine. We read it there. */
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { ask } from '../hub-client/ask-hub.ts'
import { CliError } from '../command/cli-error.ts'
import { reasonOf } from '../command/system-error.ts'
import type { HubClient } from '../hub-client/hub-client.ts'

const exported = z.object({ path: z.string(), bytes: z.number() })

/** A long recording takes a while to write. */
const exportWithinMs = 300_000

export async function exportRecording(hub: HubClient, session: string): Promise<z.output<typeof exported>> {
  return exported.parse(await ask(hub, 'export_recording', { name: session }, { timeoutMs: exportWithinMs }))
}

/** The file that the hub wrote. */
export async function readRecording(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const advice = 'If the hub is on another machine, run this command there.'
    throw new CliError('failed', `The recording ${path} cannot be read: ${reasonOf(error)}. ${advice}`, {
      cause: error,
    })
  }
}

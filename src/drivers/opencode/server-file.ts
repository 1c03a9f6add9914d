/** The hub's record of an opencode server, so that the next hub can reach it. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { freePort } from '../port/free-port.ts'

const serverSchema = z.object({
  /** Absent if opencode runs without a server. */
  port: z.int().optional(),
  password: z.string().optional(),
  /** The hub's plugin sends it with its messages. Commands of the agent do not get it. */
  proof: z.string().optional(),
  /** The conversation that opencode was told to open. */
  opened: z.string().optional(),
  /** The plugin of the hub has reported from inside this opencode. */
  hasPlugin: z.boolean(),
  /** The conversations that people and the hub began in this opencode, the newest last. */
  conversations: z.array(z.string()),
})
export type ServerFile = z.output<typeof serverSchema>

/** opencode ends with an error if another program takes the port first. */
export async function chooseServer(): Promise<{ readonly port: number; readonly password: string }> {
  return { port: await freePort(), password: newProof() }
}

export function newProof(): string {
  return randomBytes(24).toString('base64url')
}

/** `undefined`: this opencode was started without the plugin of the hub. */
export function readServerFile(directory: string): ServerFile | undefined {
  try {
    return serverSchema.parse(JSON.parse(readFileSync(pathIn(directory), 'utf8')))
  } catch {
    return undefined
  }
}

/** Only its owner can read it: it has the password and the proof. */
export function writeServerFile(directory: string, content: ServerFile): void {
  const path = pathIn(directory)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  writeFileSync(`${path}.new`, JSON.stringify(content), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

function pathIn(directory: string): string {
  return join(directory, 'opencode-server.json')
}

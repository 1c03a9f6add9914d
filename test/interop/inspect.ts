/** Runs the command line of the official Inspector. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { Endpoint } from '../harness/modern-call.ts'
import { createTempHome } from '../harness/temp-home.ts'

const inspectorFolder = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json'))
const launcher = join(inspectorFolder, 'clients/launcher/build/index.js')

export interface Inspection {
  readonly code: number
  readonly result: unknown
  readonly stderr: string
}

/** The era can only be set in a configuration file. */
export async function inspectAt(
  { url, token }: Endpoint,
  era: string,
  options: readonly string[],
): Promise<Inspection> {
  await using scratch = await createTempHome()
  const config = join(scratch.path, 'servers.json')
  const server = {
    type: 'streamable-http',
    url,
    headers: { Authorization: `Bearer ${token}` },
    protocolEra: era,
  }
  await writeFile(config, JSON.stringify({ mcpServers: { hub: server } }))
  const args = [launcher, '--cli', '--config', config, '--server', 'hub', ...options, '--format', 'json']
  const env = { ...process.env, HOME: scratch.path, MCP_INSPECTOR_SECRET_STORE: 'memory' }
  return await new Promise((resolve) => {
    const child = execFile(process.execPath, args, { env }, (_, stdout, stderr) => {
      const parsed = z.object({ result: z.unknown() }).safeParse(stdout.trim() === '' ? {} : JSON.parse(stdout))
      resolve({ code: child.exitCode ?? -1, result: parsed.data?.result, stderr })
    })
  })
}

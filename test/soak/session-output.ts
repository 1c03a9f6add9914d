/** Checks output over MCP to the last byte: of many short programs at once, and of one that prints random bytes. */
import { createHash, randomBytes } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Session } from '../../src/api/session.ts'
import { startHubProcess } from '../worlds/hub-process.ts'
import { callTool } from '../harness/modern-call.ts'
import { createTempHome } from '../harness/temp-home.ts'
import { readJournalFiles } from './read-journal-files.ts'
import { readAllOutput } from './read-all-output.ts'

export interface ShortCommandsReport {
  readonly commands: number
  readonly bytesLost: number
}

export interface RandomBytesReport {
  readonly megabytes: number
  readonly isJournalWhole: boolean
  readonly isViewerWhole: boolean
}

const shortCommand = 'seq 1 2000; echo END'
const shortOutput = Buffer.from(`${Array.from({ length: 2_000 }, (_, line) => `${line + 1}\r\n`).join('')}END\r\n`)

export async function runShortCommands({
  rounds,
  atOnce,
}: {
  rounds: number
  atOnce: number
}): Promise<ShortCommandsReport> {
  await using home = await createTempHome()
  await using hub = await startHubProcess({ home: home.path })
  let bytesLost = 0
  for (let round = 0; round < rounds; round++) {
    const lost = Array.from({ length: atOnce }, async (_, index) => {
      const name = `short-${round}-${index}`
      await callTool(hub, 'create_session', { name, command: shortCommand, wait: { for: 'exit', timeout_ms: 120_000 } })
      const session = (await callTool(hub, 'get_session', { name })) as unknown as Session
      const journal = readJournalFiles(session.log_path)
      const { bytes } = await readAllOutput(hub, name)
      await callTool(hub, 'kill_session', { name, remove: true })
      return bytesLostIn(journal) + bytesLostIn(bytes)
    })
    bytesLost += (await Promise.all(lost)).reduce((sum, each) => sum + each, 0)
  }
  return { commands: rounds * atOnce, bytesLost }
}

/** Counts everything as lost if the bytes differ, because then more than the end is missing. */
function bytesLostIn(bytes: Buffer): number {
  if (bytes.equals(shortOutput)) return 0
  return shortOutput.length - (shortOutput.indexOf(bytes) === 0 ? bytes.length : 0)
}

export async function printRandomBytes(megabytes: number): Promise<RandomBytesReport> {
  await using home = await createTempHome()
  await using hub = await startHubProcess({ home: home.path })
  const source = join(home.path, 'source')
  const written = writeRandomFile(source, megabytes)
  // The program starts after the first input, so that the viewer sees its output from the first byte.
  const command = `stty raw -echo; head -c 1 > /dev/null; cat '${source}'`
  const session = (await callTool(hub, 'create_session', { name: 'random', command })) as unknown as Session
  await callTool(hub, 'send_text', { session: 'random', text: 'x' })
  const { digest } = await readAllOutput(hub, 'random')
  return {
    megabytes,
    isJournalWhole: createHash('sha256').update(readJournalFiles(session.log_path)).digest('hex') === written,
    isViewerWhole: digest === written,
  }
}

function writeRandomFile(path: string, megabytes: number): string {
  const hash = createHash('sha256')
  const file = openSync(path, 'w')
  for (let count = 0; count < megabytes; count++) {
    const bytes = randomBytes(1e6)
    hash.update(bytes)
    writeSync(file, bytes)
  }
  closeSync(file)
  return hash.digest('hex')
}

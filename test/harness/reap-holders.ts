/** Kills the holders of a data directory. They outlive their hub on purpose, and must not outlive the test. */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'

const infoSchema = z.object({ pid: z.int(), childPid: z.int() })
type HolderInfo = z.output<typeof infoSchema>

/** Call it after the hub has ended: a running hub may start more holders. */
export async function reapHolders(home: string): Promise<void> {
  const infos = await readHolderInfos(join(home, 'sessions'))
  const holders = await holdersAmong(infos.map(({ pid }) => pid))
  for (const { pid, childPid } of infos.filter((info) => holders.has(info.pid))) {
    kill(pid)
    kill(-childPid)
  }
}

async function readHolderInfos(sessions: string): Promise<readonly HolderInfo[]> {
  const folders = await readdir(sessions).catch(() => [])
  // The server of an agent has a holder of its own.
  const places = folders.flatMap((folder) => [join(sessions, folder), join(sessions, folder, 'server')])
  const texts = places.map((place) => readFile(join(place, 'holder.json'), 'utf8').catch(() => ''))
  return (await Promise.all(texts)).filter((text) => text !== '').map((text) => infoSchema.parse(JSON.parse(text)))
}

/** A holder may have ended, and another process may have its pid. */
async function holdersAmong(pids: readonly number[]): Promise<ReadonlySet<number>> {
  if (pids.length === 0) return new Set()
  // Fails when none of them is left.
  const listing = await promisify(execFile)('ps', ['-o', 'pid=,args=', '-p', pids.join()]).catch(() => ({ stdout: '' }))
  const lines = listing.stdout.split('\n').filter((line) => /holder\/holder\.m?[jt]s\b/.test(line))
  return new Set(lines.map((line) => Number.parseInt(line, 10)))
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}

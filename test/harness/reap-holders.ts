/** Ends what a hub leaves running on purpose: the holders of a data directory outlive it, and must not outlive the test. */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'

const noticeSchema = z.object({ pid: z.int(), childPid: z.int() })
type Notice = z.output<typeof noticeSchema>

/** To be called when its hub is gone, or it may start others meanwhile. */
export async function reapHolders(home: string): Promise<void> {
  const notices = await readNotices(join(home, 'sessions'))
  const holders = await holdersAmong(notices.map(({ pid }) => pid))
  for (const { pid, childPid } of notices.filter((notice) => holders.has(notice.pid))) {
    kill(pid)
    kill(-childPid)
  }
}

async function readNotices(sessions: string): Promise<readonly Notice[]> {
  const folders = await readdir(sessions).catch(() => [])
  const texts = folders.map((folder) => readFile(join(sessions, folder, 'holder.json'), 'utf8').catch(() => ''))
  return (await Promise.all(texts)).filter((text) => text !== '').map((text) => noticeSchema.parse(JSON.parse(text)))
}

/** A holder may be long gone, and its number be another's. */
async function holdersAmong(pids: readonly number[]): Promise<ReadonlySet<number>> {
  if (pids.length === 0) return new Set()
  // Fails when none of them is left.
  const listing = await promisify(execFile)('ps', ['-o', 'pid=,args=', '-p', pids.join()]).catch(() => ({ stdout: '' }))
  const lines = listing.stdout.split('\n').filter((line) => /holder\/holder\.[jt]s\b/.test(line))
  return new Set(lines.map((line) => Number.parseInt(line, 10)))
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It was faster.
  }
}

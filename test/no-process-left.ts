/**
 * Fails a test run that leaves processes behind. Each process that a test starts has a file or its directory among the
 * temporary files of the run, or a variable that names their place. Linux only: other systems do not show that.
 */
import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { setTimeout } from 'node:timers/promises'

/** Processes that were asked to end may need a moment. */
const looks = 50

export default function setup(): () => Promise<void> {
  return async () => {
    if (!existsSync('/proc/self/fd')) return
    let left = processesOf(tmpdir())
    for (let look = 0; left.length > 0 && look < looks; look++) {
      await setTimeout(200)
      left = processesOf(tmpdir())
    }
    if (left.length === 0) return
    console.error(`\nThe tests left ${left.length} processes behind:\n${left.join('\n')}\n`)
    process.exitCode = 1
  }
}

function processesOf(directory: string): readonly string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid || !uses(pid, directory)) return []
    return [`${pid} ${ifThere(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.replaceAll('\0', ' ') ?? ''}`]
  })
}

function uses(pid: string, directory: string): boolean {
  const variables = ifThere(() => readFileSync(`/proc/${pid}/environ`, 'utf8'))
  if (variables?.split('\0').includes(`TMPDIR=${directory}`)) return true
  const descriptors = ifThere(() => readdirSync(`/proc/${pid}/fd`)) ?? []
  return [`/proc/${pid}/cwd`, ...descriptors.map((name) => `/proc/${pid}/fd/${name}`)].some((link) =>
    ifThere(() => readlinkSync(link))?.startsWith(`${directory}/`),
  )
}

/** A process may have ended, or belong to another user. */
function ifThere<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

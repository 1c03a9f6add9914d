/** The CPU time of a process and its descendants, as the kernel counts it. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

interface Process {
  readonly pid: number
  readonly parent: number
  readonly ticks: number
}

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** Leaves out processes that run a program of `except`: an upstream is not part of the gateway that starts it. */
export function cpuMicrosOfTree(root: number, except: readonly string[] = []): number {
  const all = readdirSync('/proc')
    .filter(isNumber)
    .map(Number)
    .map(readProcess)
    .filter((found) => found !== undefined)
  const tree = new Set([root])
  // A child may have a smaller pid than its parent, so one pass is not always enough.
  for (let size = 0; size < tree.size;) {
    size = tree.size
    for (const { pid, parent } of all) if (tree.has(parent)) tree.add(pid)
  }
  const counted = all.filter(({ pid }) => tree.has(pid) && (pid === root || !except.includes(programOf(pid))))
  return (counted.reduce((sum, { ticks }) => sum + ticks, 0) / ticksPerSecond) * 1_000_000
}

function readProcess(pid: number): Process | undefined {
  try {
    // The second field is the name in brackets, which may contain blanks and brackets.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return { pid, parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }
  } catch {
    return undefined // It ended meanwhile.
  }
}

/** The file that Node runs. */
function programOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[1] ?? ''
  } catch {
    return ''
  }
}

function isNumber(name: string): boolean {
  return /^\d+$/.test(name)
}

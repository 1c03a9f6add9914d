/** The CPU time of a program and of everything it starts, including processes that end meanwhile (Linux). */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessFamily extends Disposable {
  /** User and system time of all its processes so far. */
  cpuSeconds(): number
  /** User and system time of the program alone. */
  ownCpuSeconds(): number
}

interface Member {
  readonly pid: number
  /** The parent when the process was first seen. The parent may end before the process. */
  readonly parent: number
  ticks: number
  /** The ticks of its children that have ended. */
  reapedTicks: number
  isRunning: boolean
}

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
/** A process that lives for a shorter time is counted when its parent reaps it. */
const lookEveryMs = 200

export function watchFamily(root: number): ProcessFamily {
  const members = new Map<number, Member>()
  look()
  const timer = setInterval(look, lookEveryMs)

  function look(): void {
    const all = readProcesses()
    for (const member of members.values()) member.isRunning = false
    // A child may have a smaller pid than its parent, so one pass is not always enough.
    for (let before = -1; before < members.size;) {
      before = members.size
      for (const found of all) {
        const known = members.get(found.pid)
        if (known) Object.assign(known, { ...found, parent: known.parent })
        else if (found.pid === root || members.has(found.parent)) members.set(found.pid, found)
      }
    }
  }

  function ticksOf({ pid, ticks, reapedTicks }: Member): number {
    const children = [...members.values()].filter(({ parent }) => parent === pid)
    const sum = (isRunning: boolean) =>
      children.filter((child) => child.isRunning === isRunning).reduce((total, child) => total + ticksOf(child), 0)
    return ticks + sum(true) + Math.max(reapedTicks, sum(false))
  }

  return {
    cpuSeconds() {
      look()
      const top = members.get(root)
      return top ? ticksOf(top) / ticksPerSecond : 0
    },
    ownCpuSeconds() {
      look()
      return (members.get(root)?.ticks ?? 0) / ticksPerSecond
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

function readProcesses(): readonly Member[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? [])
}

function readProcess(pid: number): Member | undefined {
  try {
    // The second field is the name in brackets, which may contain blanks and brackets.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    const numbers = (...places: readonly number[]) => places.reduce((sum, place) => sum + Number(fields[place]), 0)
    return { pid, parent: numbers(1), ticks: numbers(11, 12), reapedTicks: numbers(13, 14), isRunning: true }
  } catch {
    return undefined // It ended meanwhile.
  }
}

/**
 * What one sandbox may use of the machine. Control groups limit it where the hub may make them. Otherwise a limit of the
 * kernel for the processes of a user is left, which does not bind root.
 */
import { readFileSync } from 'node:fs'
import { release, totalmem } from 'node:os'
import type { Limited } from '../api/sandbox.ts'
import { openControlGroups } from './control-groups.ts'
import { isRoot } from './system.ts'

/** With their threads. About as many as systemd allows a service. */
const mostProcesses = 4_096

export interface Limits {
  /** What could not be limited. */
  readonly unlimited: readonly Limited[]
  /** The size of each directory that a sandbox has in memory. */
  readonly placeBytes: number
  /** Of each user namespace, where no control group limits it. */
  readonly mostProcesses?: number | undefined
  /** See `ControlGroups`. */
  makeGroups(): readonly string[]
}

/** `hasPrlimit`: whether the program that sets limits of the kernel is installed. */
export function openLimits({ hasPrlimit }: { readonly hasPrlimit: boolean }): Limits {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity)
  const groups = openControlGroups({ processes: mostProcesses, memory: Math.floor(memory * 0.75) })
  const isLimited = new Set(groups.limited)
  const isByKernel = !isLimited.has('processes') && hasPrlimit && !isRoot() && countsByNamespace(release())
  if (isByKernel) isLimited.add('processes')
  return {
    unlimited: (['memory', 'processes'] as const).filter((each) => !isLimited.has(each)),
    // A sandbox has up to six of them.
    placeBytes: Math.floor(memory / 8),
    ...(isByKernel && { mostProcesses: Math.min(mostProcesses, ownMost()) }),
    makeGroups: () => groups.make(),
  }
}

/** Before Linux 5.14, all processes of the user counted, also those outside the sandbox. */
function countsByNamespace(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 5 || (major === 5 && minor >= 14)
}

/** The hub's own limit, which nothing may raise. */
function ownMost(): number {
  const most = /^Max processes +\d+ +(?<most>\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.groups?.['most']
  return most === undefined ? Infinity : Number(most)
}

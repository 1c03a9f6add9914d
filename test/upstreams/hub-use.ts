/** The resources of a hub at one moment, to find leaks of upstreams. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { markOfHome } from '../../src/upstream/reaper.ts'
import { carriersOf } from '../fixtures/processes.ts'

export interface HubUse {
  /** Its child processes, zombies included. */
  readonly children: number
  /** Processes that carry its mark: upstreams and all they started. */
  readonly marked: number
  readonly descriptors: number
}

export function useOf(hub: { readonly pid: number; readonly home: string }): HubUse {
  return {
    children: childrenOf(hub.pid).length,
    marked: markedBy(hub.home).length,
    descriptors: readdirSync(`/proc/${hub.pid}/fd`).length,
  }
}

export function markedBy(home: string): number[] {
  return carriersOf(markOfHome(readFileSync(join(home, 'hub.key')).toString('hex')))
}

export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number)
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1])
  } catch {
    return undefined // it has ended meanwhile
  }
}

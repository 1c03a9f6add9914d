import { readFileSync } from 'node:fs'

/** Resident memory of a process with all its threads: now (`VmRSS`), or at its highest (`VmHWM`). Linux only. */
export function memoryMb(pid: string, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1000
}

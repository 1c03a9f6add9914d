import { readFileSync, readlinkSync } from 'node:fs'
import type { Terminal } from '../terminal/terminal.ts'

export interface ForegroundProcess {
  readonly pid: number
  readonly command: string
  readonly cmdline: string
}

export async function foreground(terminal: Terminal): Promise<ForegroundProcess | undefined> {
  if (terminal.life.is !== 'running') return undefined
  const stat = readFileSync(`/proc/${terminal.life.pid}/stat`, 'utf8')
  const pid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[5])
  const cmdline = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  return { pid, command: readFileSync(`/proc/${pid}/comm`, 'utf8').trim(), cmdline }
}

export async function workingDirectory(terminal: Terminal): Promise<string | undefined> {
  const found = await foreground(terminal)
  return found && readlinkSync(`/proc/${found.pid}/cwd`)
}

export async function isIdle(terminal: Terminal): Promise<boolean> {
  return terminal.life.is === 'running' && (await foreground(terminal))?.pid === terminal.life.pid
}

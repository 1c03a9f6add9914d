/** Finds the process that listens on a TCP port, if the system shows it. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { runProgram } from '../command/run-program.ts'
import type { Environment } from '../../config/config.ts'

export interface PortOwner {
  readonly pid: number
  readonly name: string
}

export async function findPortOwner(port: number, env: Environment): Promise<PortOwner | undefined> {
  return process.platform === 'linux' ? fromProc(port) : fromLsof(port, env)
}

function fromProc(port: number): PortOwner | undefined {
  const sockets = new Set([...listeningInodes('/proc/net/tcp', port), ...listeningInodes('/proc/net/tcp6', port)])
  if (sockets.size === 0) return undefined
  for (const entry of readdirSync('/proc')) {
    if (/^\d+$/.test(entry) && hasOneOf(sockets, `/proc/${entry}/fd`)) {
      return { pid: Number(entry), name: nameOf(`/proc/${entry}/cmdline`) }
    }
  }
  return undefined
}

/** Reads proc_net_tcp(5): `sl local_address rem_address st … inode`. State 0A is LISTEN, and numbers are hexadecimal. */
function listeningInodes(table: string, port: number): string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0')
  return readOr(table, '')
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((cells) => cells[3] === '0A' && cells[1]?.endsWith(`:${wanted}`))
    .flatMap((cells) => cells[9] ?? [])
}

/** Reads the command line, because /proc/…/comm of Node has the name of a thread. */
function nameOf(commandLine: string): string {
  const [program] = readOr(commandLine, '').split('\0')
  return program ? basename(program) : 'unknown'
}

/** Processes of other users hide their files. Then the owner stays unknown. */
function hasOneOf(sockets: ReadonlySet<string>, folder: string): boolean {
  try {
    return readdirSync(folder).some((file) => {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(linkOr(`${folder}/${file}`, '')) ?? []
      return inode !== undefined && sockets.has(inode)
    })
  } catch {
    return false
  }
}

async function fromLsof(port: number, env: Environment): Promise<PortOwner | undefined> {
  const args = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc']
  const outcome = await runProgram('lsof', args, { env, within: 'person', timeoutMs: 5000 })
  if (outcome.is !== 'ended') return undefined
  const [, pid] = /^p(\d+)$/m.exec(outcome.output) ?? []
  const [, name] = /^c(.+)$/m.exec(outcome.output) ?? []
  return pid === undefined ? undefined : { pid: Number(pid), name: name ?? 'unknown' }
}

function readOr(path: string, fallback: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return fallback
  }
}

function linkOr(path: string, fallback: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return fallback
  }
}

/** Which process listens on a TCP port, where the system lets us see it. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { runProgram } from '../run-program.ts'
import type { Environment } from '../../config/config.ts'

export interface PortHolder {
  readonly pid: number
  readonly name: string
}

export async function findPortHolder(port: number, env: Environment): Promise<PortHolder | undefined> {
  return process.platform === 'linux' ? fromProc(port) : fromLsof(port, env)
}

function fromProc(port: number): PortHolder | undefined {
  const sockets = new Set([...listeningInodes('/proc/net/tcp', port), ...listeningInodes('/proc/net/tcp6', port)])
  if (sockets.size === 0) return undefined
  for (const entry of readdirSync('/proc')) {
    if (/^\d+$/.test(entry) && holdsOneOf(sockets, `/proc/${entry}/fd`)) {
      return { pid: Number(entry), name: nameOf(`/proc/${entry}/cmdline`) }
    }
  }
  return undefined
}

/** Lines of proc_net_tcp(5): `sl local_address rem_address st … inode`; state 0A is LISTEN, numbers are hexadecimal. */
function listeningInodes(table: string, port: number): string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0')
  return readOr(table, '')
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((cells) => cells[3] === '0A' && cells[1]?.endsWith(`:${wanted}`))
    .flatMap((cells) => cells[9] ?? [])
}

/** The program as it was called: Node, for one, names its threads and not itself in /proc/…/comm. */
function nameOf(commandLine: string): string {
  const [program] = readOr(commandLine, '').split('\0')
  return program ? basename(program) : 'unknown'
}

/** Other people's processes do not show their files; then the holder stays unknown. */
function holdsOneOf(sockets: ReadonlySet<string>, folder: string): boolean {
  try {
    return readdirSync(folder).some((file) => {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(linkOr(`${folder}/${file}`, '')) ?? []
      return inode !== undefined && sockets.has(inode)
    })
  } catch {
    return false
  }
}

async function fromLsof(port: number, env: Environment): Promise<PortHolder | undefined> {
  const args = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc']
  const outcome = await runProgram('lsof', args, { env, timeoutMs: 5000 })
  if (outcome.is !== 'ended') return undefined
  const [, pid] = /^p(\d+)$/m.exec(outcome.output) ?? []
  const [, name] = /^c(.+)$/m.exec(outcome.output) ?? []
  return pid === undefined ? undefined : { pid: Number(pid), name: name ?? 'unknown' }
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return otherwise
  }
}

function linkOr(path: string, otherwise: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return otherwise
  }
}

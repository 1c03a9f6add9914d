/** Information about processes from the system: the foreground of a terminal, names, working directories. */
import { readFileSync } from 'node:fs'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { runProgram, systemPath } from '../base/start-program.ts'

export interface ProcessDescription {
  readonly pid: number
  /** Its short name. */
  readonly command: string
  /** The command line with its arguments. */
  readonly cmdline: string
}

export interface RunningProcess {
  readonly pid: number
  readonly group: number
  /** Equal for all processes that share a terminal, and different for all others. */
  readonly terminal: string
}

export interface ProcessGroups {
  readonly own: number
  readonly foreground: number
}

export interface ProcessTable {
  /** All running processes. Zombies are not included. */
  list(): Promise<readonly RunningProcess[]>
  /** The process group of the process, and that in the foreground of its terminal. */
  groups(pid: number): Promise<ProcessGroups | undefined>
  /** Its short name. */
  command(pid: number): Promise<string | undefined>
  describe(pid: number): Promise<ProcessDescription | undefined>
  /** The program and its arguments; empty if it has ended. */
  words(pid: number): Promise<readonly string[]>
  workingDirectory(pid: number): Promise<string | undefined>
  /** The settings that `stty` lists as on, such as `echo` and `icanon`, for the terminal of this process. */
  terminalModes(pid: number): Promise<ReadonlySet<string> | undefined>
  /** The child processes. */
  children(pid: number): Promise<readonly number[]>
  /** The children of `startedBy` in this group: the commands of a pipe, which may outlive the first of them. */
  membersOf(group: number, startedBy: number): Promise<readonly number[]>
}

/** The major number of the devices behind /dev/pts. */
const unix98Major = 136

const linuxTable: ProcessTable = {
  async list() {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
    return pids.map(readRunning).filter((found) => found !== undefined)
  },
  async groups(pid) {
    const fields = statFields(pid)
    return groupsOf(Number(fields[2]), Number(fields[5]))
  },
  command: async (pid) => readProc(pid, 'comm')?.trimEnd(),
  async describe(pid) {
    const command = readProc(pid, 'comm')
    const cmdline = await readCmdline(pid)
    if (command === undefined || cmdline === undefined) return undefined
    return { pid, command: command.trimEnd(), cmdline: cmdline.replaceAll('\0', ' ') }
  },
  words: async (pid) => (await readCmdline(pid))?.split('\0') ?? [],
  workingDirectory: (pid) => readlink(`/proc/${pid}/cwd`).catch(() => undefined),
  async terminalModes(pid) {
    const device = Number(statFields(pid)[4] ?? 0)
    // As in makedev(3): the major number in the middle, the minor number around it.
    const [major, minor] = [(device >> 8) & 0xfff, (device & 0xff) | ((device >>> 12) & 0xfff00)]
    return major === unix98Major ? readModes('-F', `/dev/pts/${minor}`) : undefined
  },
  children: async (pid) => linuxChildren(pid),
  async membersOf(group, startedBy) {
    return linuxChildren(startedBy).filter((child) => Number(statFields(child)[2]) === group)
  },
}

function linuxChildren(pid: number): readonly number[] {
  const children = readProc(pid, `task/${pid}/children`)
  return children?.split(' ').filter(Boolean).map(Number) ?? []
}

/**
 * The session identifies the terminal: a terminal belongs to one session, and processes that stay behind remain in it.
 */
function readRunning(pid: number): RunningProcess | undefined {
  const [state = 'Z', , group, session] = statFields(pid)
  return 'ZX'.includes(state) ? undefined : { pid, group: Number(group), terminal: `session ${session}` }
}

function groupsOf(own: number, foreground: number): ProcessGroups | undefined {
  return own > 0 && foreground > 0 ? { own, foreground } : undefined
}

/** The fields after the name, which may contain blanks and brackets. The first is the state. */
function statFields(pid: number): readonly string[] {
  const stat = readProc(pid, 'stat')
  return stat === undefined ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/**
 * Reads synchronously, because the kernel answers from memory. An asynchronous read would cost twenty times as much,
 * and hundreds of sessions ask.
 */
function readProc(pid: number, file: 'comm' | 'stat' | `task/${number}/children`): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return undefined
  }
}

/** The words have a NUL between them. The kernel reads them from the process, which may be stuck. */
async function readCmdline(pid: number): Promise<string | undefined> {
  const cmdline = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined)
  return cmdline?.replace(/\0$/, '')
}

const otherTable: ProcessTable = {
  async list() {
    const rows = (await run('ps', ['-ax', '-o', 'pid=,pgid=,stat=,tty='])).split('\n')
    return rows.flatMap((row) => {
      const [pid, group, state = 'Z', tty = ''] = row.trim().split(/\s+/)
      // Without a terminal, ps prints a placeholder for its name.
      const terminal = /^\W*$/.test(tty) ? `process ${pid}` : tty
      return state.startsWith('Z') ? [] : [{ pid: Number(pid), group: Number(group), terminal }]
    })
  },
  async groups(pid) {
    const [own, foreground] = (await run('ps', ['-o', 'pgid=,tpgid=', '-p', String(pid)])).split(/\s+/)
    return groupsOf(Number(own), Number(foreground))
  },
  command: psCommand,
  async describe(pid) {
    const [command, cmdline] = await Promise.all([psCommand(pid), run('ps', ['-o', 'args=', '-p', String(pid)])])
    return command === undefined ? undefined : { pid, command, cmdline }
  },
  words: async (pid) => (await run('ps', ['-o', 'args=', '-p', String(pid)])).split(' '),
  async workingDirectory(pid) {
    const found = await run('lsof', ['-a', '-d', 'cwd', '-p', String(pid), '-Fn'])
    return /^n(.+)$/m.exec(found)?.[1]
  },
  async terminalModes(pid) {
    const tty = await run('ps', ['-o', 'tty=', '-p', String(pid)])
    return tty.startsWith('ttys') ? readModes('-f', `/dev/${tty}`) : undefined
  },
  children: async (pid) => (await psChildren(pid)).map(([child]) => child),
  async membersOf(group, startedBy) {
    return (await psChildren(startedBy)).flatMap(([child, , itsGroup]) => (itsGroup === group ? [child] : []))
  },
}

async function psCommand(pid: number): Promise<string | undefined> {
  const path = await run('ps', ['-o', 'comm=', '-p', String(pid)])
  return path === '' ? undefined : path.slice(path.lastIndexOf('/') + 1)
}

type ProcessRow = readonly [pid: number, parent: number, group: number]

async function psChildren(pid: number): Promise<readonly ProcessRow[]> {
  const rows = (await run('ps', ['-ax', '-o', 'pid=,ppid=,pgid='])).split('\n')
  const found = rows.map((row) => row.trim().split(/\s+/).map(Number) as unknown as ProcessRow)
  return found.filter(([, parent]) => parent === pid)
}

async function readModes(option: '-F' | '-f', tty: string): Promise<ReadonlySet<string> | undefined> {
  const listed = await run('stty', [option, tty, '-a'])
  return listed === '' ? undefined : new Set(listed.split(/[\s;]+/))
}

async function run(file: string, args: readonly string[]): Promise<string> {
  const program = { file, args, cwd: '/', env: { PATH: systemPath } }
  return (await runProgram(program, 'person').catch(() => ({ stdout: '' }))).stdout.trim()
}

export const processTable: ProcessTable = process.platform === 'linux' ? linuxTable : otherTable

/** Information about processes from the system: the foreground of a terminal, names, working directories. */
import { execFile } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'

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

export interface ProcessTable {
  /** All running processes. Zombies are not included. */
  list(): Promise<readonly RunningProcess[]>
  /** The foreground process group of the terminal in which this process runs. */
  foregroundGroup(pid: number): Promise<number | undefined>
  /** The process group of the process. */
  group(pid: number): Promise<number | undefined>
  describe(pid: number): Promise<ProcessDescription | undefined>
  /** The program and its arguments; empty if it has ended. */
  words(pid: number): Promise<readonly string[]>
  workingDirectory(pid: number): Promise<string | undefined>
  /** The settings that `stty` lists as on, such as `echo` and `icanon`, for the terminal of this process. */
  terminalModes(pid: number): Promise<ReadonlySet<string> | undefined>
  /** The child processes. */
  children(pid: number): Promise<readonly number[]>
  /** A child of `startedBy` in this group, since a group may outlive its leader. */
  memberOf(group: number, startedBy: number): Promise<number | undefined>
}

/** The major number of the devices behind /dev/pts. */
const unix98Major = 136

const linuxTable: ProcessTable = {
  async list() {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
    return (await Promise.all(pids.map(readRunning))).filter((found) => found !== undefined)
  },
  foregroundGroup: async (pid) => statNumber(pid, 5),
  group: async (pid) => statNumber(pid, 2),
  async describe(pid) {
    const [command, cmdline] = await Promise.all([readProc(pid, 'comm'), readProc(pid, 'cmdline')])
    if (command === undefined || cmdline === undefined) return undefined
    return { pid, command: command.trimEnd(), cmdline: cmdline.replace(/\0$/, '').replaceAll('\0', ' ') }
  },
  words: async (pid) => (await readProc(pid, 'cmdline'))?.replace(/\0$/, '').split('\0') ?? [],
  workingDirectory: (pid) => readlink(`/proc/${pid}/cwd`).catch(() => undefined),
  async terminalModes(pid) {
    const device = (await statNumber(pid, 4)) ?? 0
    // As in makedev(3): the major number in the middle, the minor number around it.
    const [major, minor] = [(device >> 8) & 0xfff, (device & 0xff) | ((device >>> 12) & 0xfff00)]
    return major === unix98Major ? readModes('-F', `/dev/pts/${minor}`) : undefined
  },
  children: linuxChildren,
  async memberOf(group, startedBy) {
    for (const child of await linuxChildren(startedBy)) if ((await statNumber(child, 2)) === group) return child
    return undefined
  },
}

async function linuxChildren(pid: number): Promise<readonly number[]> {
  const children = await readProc(pid, `task/${pid}/children`)
  return children?.split(' ').filter(Boolean).map(Number) ?? []
}

/** Identified by its session: a terminal belongs to one, and processes that stay behind remain in it. */
async function readRunning(pid: number): Promise<RunningProcess | undefined> {
  const [state = 'Z', , group, session] = await statFields(pid)
  return 'ZX'.includes(state) ? undefined : { pid, group: Number(group), terminal: `session ${session}` }
}

async function statNumber(pid: number, field: number): Promise<number | undefined> {
  const value = Number((await statFields(pid))[field])
  return value > 0 ? value : undefined
}

/** The fields after the name, which may contain blanks and brackets. The first is the state. */
async function statFields(pid: number): Promise<readonly string[]> {
  const stat = await readProc(pid, 'stat')
  return stat === undefined ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function readProc(pid: number, file: string): Promise<string | undefined> {
  return readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => undefined)
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
  foregroundGroup: async (pid) => numberIn(await run('ps', ['-o', 'tpgid=', '-p', String(pid)])),
  group: async (pid) => numberIn(await run('ps', ['-o', 'pgid=', '-p', String(pid)])),
  async describe(pid) {
    const [path, cmdline] = await Promise.all([
      run('ps', ['-o', 'comm=', '-p', String(pid)]),
      run('ps', ['-o', 'args=', '-p', String(pid)]),
    ])
    return path === '' ? undefined : { pid, command: path.slice(path.lastIndexOf('/') + 1), cmdline }
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
  memberOf: async (group, startedBy) => (await psChildren(startedBy)).find(([, , itsGroup]) => itsGroup === group)?.[0],
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

const execute = promisify(execFile)

async function run(file: string, args: readonly string[]): Promise<string> {
  return (await execute(file, [...args]).catch(() => ({ stdout: '' }))).stdout.trim()
}

function numberIn(text: string): number | undefined {
  const value = Number.parseInt(text, 10)
  return value > 0 ? value : undefined
}

export const processTable: ProcessTable = process.platform === 'linux' ? linuxTable : otherTable

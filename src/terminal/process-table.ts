/** What the system says of processes: who has a terminal's foreground, what it is called, where it is. */
import { execFile } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'

export interface ProcessDescription {
  readonly pid: number
  /** Its short name. */
  readonly command: string
  /** With its arguments. */
  readonly cmdline: string
}

export interface RunningProcess {
  readonly pid: number
  readonly group: number
  /** The same for all that share a terminal, and another for everybody else. */
  readonly place: string
}

export interface ProcessTable {
  /** All that run. Those that have ended and only wait for their parent to take notice do not. */
  list(): Promise<readonly RunningProcess[]>
  /** The process group that has the foreground of the terminal this process runs in. */
  foregroundGroup(pid: number): Promise<number | undefined>
  /** The process group it is in. */
  group(pid: number): Promise<number | undefined>
  describe(pid: number): Promise<ProcessDescription | undefined>
  /** The program and its arguments; none where it has ended. */
  words(pid: number): Promise<readonly string[]>
  workingDirectory(pid: number): Promise<string | undefined>
  /** Of those that the process started, one of this group: a group may outlive its leader. */
  memberOf(group: number, startedBy: number): Promise<number | undefined>
}

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
  async memberOf(group, startedBy) {
    const children = (await readProc(startedBy, `task/${startedBy}/children`))?.split(' ').filter(Boolean) ?? []
    for (const child of children.map(Number)) if ((await statNumber(child, 2)) === group) return child
    return undefined
  },
}

/** By its session: a terminal belongs to one, and those that stay behind when its leader ends stay in it. */
async function readRunning(pid: number): Promise<RunningProcess | undefined> {
  const [state = 'Z', , group, session] = await statFields(pid)
  return 'ZX'.includes(state) ? undefined : { pid, group: Number(group), place: `session ${session}` }
}

async function statNumber(pid: number, field: number): Promise<number | undefined> {
  const value = Number((await statFields(pid))[field])
  return value > 0 ? value : undefined
}

/** Those behind the name, which may itself hold blanks and brackets; the first is the state. */
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
      // Without a terminal there is a mark in place of its name.
      const place = /^\W*$/.test(tty) ? `process ${pid}` : tty
      return state.startsWith('Z') ? [] : [{ pid: Number(pid), group: Number(group), place }]
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
  async memberOf(group, startedBy) {
    const rows = (await run('ps', ['-ax', '-o', 'pid=,ppid=,pgid='])).split('\n')
    const found = rows.map((row) => row.trim().split(/\s+/).map(Number))
    return found.find(([, parent, itsGroup]) => parent === startedBy && itsGroup === group)?.[0]
  },
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

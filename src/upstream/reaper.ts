/**
 * Ends processes that upstreams leave behind when the hub itself cannot: a small shell in its own session reads a pipe
 * from the hub. When the pipe ends, the hub has ended, for whatever reason.
 *
 * Each upstream has a mark in its environment, which its descendants inherit. The reaper looks for the mark at the
 * moment it ends a process, so a pid that now belongs to another program is safe.
 */
import type { ChildProcess } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { startProgram } from '../base/start-program.ts'
import { reaperScript } from './reaper-script.ts'

export interface Reaper extends AsyncDisposable {
  /** Creates the environment of one more upstream, before it starts. The first call starts the reaper. */
  mark(): Mark
  /** Ends processes that earlier hubs of this data directory left behind. Returns how many there were. */
  sweepStale(): Promise<number>
}

export interface Mark {
  readonly environment: Readonly<Record<string, string>>
  /**
   * The process that carries the mark. Its whole session ends with the hub, including processes that dropped the mark.
   */
  startedAs(pid: number): void
  /** That process has ended. The reaper ends all others that carry the mark. */
  ended(): void
}

const variable = 'SIGNALBOX_UPSTREAM'
const endWithinMs = 10_000

export function createReaper({ homeId }: { readonly homeId: string }): Reaper {
  const home = markOfHome(homeId)
  const run = `${home}${randomBytes(8).toString('hex')}/`
  /** The process of each mark, once it has started. */
  const living = new Map<string, number | undefined>()
  let shell: ChildProcess | undefined
  let count = 0

  function start(): void {
    if (shell) return
    const started = startShell('watch', run)
    shell = started
    started.unref()
    started.stdin?.on('error', () => {})
    started.once('error', forget).once('exit', forget)
    for (const [mark, pid] of living) if (pid !== undefined) send(`+ ${pid} ${mark}`)

    function forget(): void {
      if (shell === started) shell = undefined
    }
  }

  function send(line: string): void {
    shell?.stdin?.write(`${line}\n`)
  }

  return {
    mark() {
      const mark = `${run}${++count}/`
      living.set(mark, undefined)
      start()
      return {
        environment: { [variable]: mark.slice(variable.length + 1) },
        startedAs(pid) {
          living.set(mark, pid)
          send(`+ ${pid} ${mark}`)
        },
        ended() {
          if (!living.delete(mark)) return
          start()
          send(`- ${mark}`)
        },
      }
    },
    async sweepStale() {
      const sweep = startShell('sweep', home, run)
      let output = ''
      sweep.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text))
      await once(sweep, 'close').catch(() => {})
      return Number(output.trim()) || 0
    },
    async [Symbol.asyncDispose]() {
      const ending = shell
      if (!ending) return
      ending.ref()
      const gone = once(ending, 'exit').catch(() => {})
      ending.stdin?.end('bye\n')
      const timer = setTimeout(() => ending.kill('SIGKILL'), endWithinMs)
      await gone
      clearTimeout(timer)
    },
  }
}

/**
 * The common prefix of this data directory's marks. Every user can read environments and arguments, so it does not
 * contain the id itself.
 */
export function markOfHome(homeId: string): string {
  return `${variable}=${createHash('sha256').update(homeId).digest('hex').slice(0, 16)}/`
}

/** The shell gets neither the hub's environment nor its directory, and no descriptor but the pipe. */
function startShell(...args: readonly string[]): ChildProcess {
  const sweeps = args[0] === 'sweep'
  const words = ['-c', reaperScript, 'signalbox-reaper', ...args]
  const program = { file: '/bin/sh', args: words, cwd: '/', env: { PATH: '/usr/bin:/bin' } }
  return startProgram(program, 'person', {
    detached: true,
    stdio: sweeps ? ['ignore', 'pipe', 'ignore'] : ['pipe', 'ignore', 'ignore'],
  })
}

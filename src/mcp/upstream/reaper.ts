/**
 * Ends what upstreams leave behind, when the hub itself cannot: a small shell in a session of its own reads a pipe from the
 * hub. The end of the pipe is the end of the hub, however it came about.
 *
 * Each upstream carries a mark in its environment, which its descendants inherit. Processes are found by the mark at the
 * moment they are ended, so that a number that now belongs to somebody else is no danger.
 */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { reaperScript } from './reaper-script.ts'

export interface Reaper extends AsyncDisposable {
  /** The environment of one more upstream, before it is started; the reaper runs from the first on. */
  mark(): Mark
  /** Ends what earlier hubs of this data directory left behind; answers how many processes there were. */
  sweepStale(): Promise<number>
}

export interface Mark {
  readonly environment: Readonly<Record<string, string>>
  /** The process that carries it. Its whole session goes with the hub, also those who dropped the mark. */
  startedAs(pid: number): void
  /** That process is gone; whoever else carries the mark has to go too. */
  ended(): void
}

const variable = 'SIGNALBOX_UPSTREAM'
const endWithinMs = 10_000

export function createReaper({ homeId }: { readonly homeId: string }): Reaper {
  const home = markOfHome(homeId)
  const run = `${home}${randomBytes(8).toString('hex')}/`
  /** By mark: the process, once it has started. */
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
    for (const [mark, pid] of living) if (pid !== undefined) tell(`+ ${pid} ${mark}`)

    function forget(): void {
      if (shell === started) shell = undefined
    }
  }

  function tell(line: string): void {
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
          tell(`+ ${pid} ${mark}`)
        },
        ended() {
          if (!living.delete(mark)) return
          start()
          tell(`- ${mark}`)
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

/** How the marks of this data directory begin. Everybody sees environments and arguments, so the id itself is not in it. */
export function markOfHome(homeId: string): string {
  return `${variable}=${createHash('sha256').update(homeId).digest('hex').slice(0, 16)}/`
}

/** Neither the hub's environment nor its directory nor any of its descriptors but the pipe. */
function startShell(...args: readonly string[]): ChildProcess {
  const sweeps = args[0] === 'sweep'
  return spawn('/bin/sh', ['-c', reaperScript, 'signalbox-reaper', ...args], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    detached: true,
    stdio: sweeps ? ['ignore', 'pipe', 'ignore'] : ['pipe', 'ignore', 'ignore'],
  })
}

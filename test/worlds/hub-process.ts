/** A hub in its own process, so that a test can stop it, kill it and start it again. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createInterface } from 'node:readline'
import { bundled } from '../harness/bundle.ts'
import { noteOpen } from '../harness/left-open.ts'
import { reapHolders } from '../harness/reap-holders.ts'

/** Disposing of it also ends its sessions. `end` leaves them to the next hub. */
export interface HubProcess extends AsyncDisposable {
  /** The MCP endpoint. */
  readonly url: string
  readonly port: number
  /** The person's token. */
  readonly token: string
  readonly process: ChildProcess
  /** Its standard error. */
  log(): string
  /** Resolves when the process is gone. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<HubExit>
}

export interface HubExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** The hub that `signalbox up` starts. */
export const shippedHub = [bundled('signalbox'), 'up']
/** The same hub with the conformance fixtures, the probes and the misbehaving tools. */
export const fixtureHub = [bundled('fixture-hub')]

export interface HubProcessOptions {
  readonly home: string
  readonly program?: readonly string[]
  /** Flags for Node, before the program. */
  readonly nodeFlags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** The limit of file descriptors. */
  readonly maxOpenFiles?: number
  /** A command line that runs the one it is given, in the same process. */
  readonly within?: readonly string[]
  /** Opens a channel for messages between the two processes. */
  readonly ipc?: boolean
  /** Starts the hub with `npm start`, in its own process group. A signal then goes to the whole group. */
  readonly viaNpm?: boolean
}

export async function startHubProcess(options: HubProcessOptions): Promise<HubProcess> {
  const { home, program = shippedHub, nodeFlags = [], env = {}, maxOpenFiles, ipc = false, viaNpm = false } = options
  const { within = [] } = options
  // The same flag as in bin/signalbox.
  const node = [process.execPath, '--min-semi-space-size=8']
  const command = viaNpm ? ['npm', 'start'] : [...within, ...node, ...nodeFlags, ...program]
  const limited = ['sh', '-c', `ulimit -n ${maxOpenFiles} && exec "$0" "$@"`, ...command]
  const [file, ...args] = (maxOpenFiles === undefined ? command : limited) as [string, ...string[]]
  const child = spawn(file, args, {
    cwd: fromRoot(''),
    detached: viaNpm,
    env: {
      ...outsideEnvironment(),
      SIGNALBOX_HOME: home,
      SIGNALBOX_PORT: '0',
      // Hubs of other tests run at the same time.
      SIGNALBOX_REPOSITORY_MCP_PORT: 'off',
      SIGNALBOX_SANDBOX: 'off',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
  })
  let log = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (log = (log + chunk).slice(-100_000)))
  // npm exits before the hub it started. The pipes close when the hub has ended.
  const exit = once(child, viaNpm ? 'close' : 'exit').then(([code, signal]): HubExit => ({ code, signal }))

  const end: HubProcess['end'] = async (signal) => {
    if (viaNpm && child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, signal)
    else child.kill(signal)
    return exit
  }
  const close = async () => {
    await end('SIGKILL')
    await reapHolders(home)
    noteClosed()
  }
  const noteClosed = noteOpen(close)

  const line = await Promise.race([readyLine(child), exit])
  if (typeof line !== 'string')
    throw new Error(`The hub ended with ${JSON.stringify(line)} before it was ready:\n${log}`)
  const { port, hash } = new URL(line)
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port: Number(port),
    token: hash.replace('#token=', ''),
    process: child,
    log: () => log,
    end,
    [Symbol.asyncDispose]: close,
  }
}

async function readyLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const url = /^Signalbox is ready: (\S+)/.exec(line)?.[1]
    if (url !== undefined) {
      child.stdout?.resume()
      return url
    }
  }
  return new Promise(() => {}) // the exit of the process gives the reason
}

/** Leaves out the settings of a hub that the person who runs the tests may have. */
function outsideEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOurs(name)))
}

function isOurs(variable: string): boolean {
  return variable.startsWith('SIGNALBOX_') || variable === 'DATABASE_URL' || variable === 'NODE_OPTIONS'
}

function fromRoot(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url))
}

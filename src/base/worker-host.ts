/** Where a worker runs: in a thread of this process, or in a process of its own. */
import { fork } from 'node:child_process'
import { Worker } from 'node:worker_threads'

export interface WorkerHostOptions {
  readonly module: URL
  readonly env?: Readonly<Record<string, string>>
  /** Limit of its heap. Garbage is collected before the heap reaches it. */
  readonly memoryMb?: number
  /** Runs in a process of its own, with these flags of Node: V8 takes most of its flags only at the start of a process. */
  readonly process?: { readonly flags: readonly string[] }
}

export interface WorkerHost {
  send(message: unknown, transfer?: readonly ArrayBuffer[]): void
  /** The worker keeps this process alive only between `ref` and `unref`. */
  ref(): void
  unref(): void
  terminate(): Promise<unknown>
}

export interface WorkerListener {
  onMessage(message: unknown): void
  /** It may be called more than once. */
  onEnd(reason: unknown): void
}

export function startHost(options: WorkerHostOptions, listener: WorkerListener): WorkerHost {
  return options.process ? startProcess(options, options.process.flags, listener) : startThread(options, listener)
}

function startThread({ module, env, memoryMb }: WorkerHostOptions, listener: WorkerListener): WorkerHost {
  const thread = new Worker(module, {
    ...(env && { env: { ...env } }),
    ...(memoryMb !== undefined && {
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: youngMb(memoryMb) },
    }),
  })
  thread.on('message', (message) => listener.onMessage(message))
  thread.on('error', (error) => listener.onEnd(error))
  thread.on('exit', (code) => listener.onEnd(new Error(`The worker ended with code ${code}.`)))
  return {
    send: (message, transfer = []) => thread.postMessage(message, transfer),
    ref: () => thread.ref(),
    unref: () => thread.unref(),
    terminate: () => thread.terminate(),
  }
}

/** The worker ends when its channel closes, so it also ends when this process is killed. */
function startProcess(
  { module, env, memoryMb }: WorkerHostOptions,
  flags: readonly string[],
  listener: WorkerListener,
): WorkerHost {
  const limits =
    memoryMb === undefined
      ? []
      : [
          `--max-old-space-size=${memoryMb}`,
          // The young generation has three semi-spaces.
          `--max-semi-space-size=${Math.floor(youngMb(memoryMb) / 3)}`,
        ]
  const child = fork(module, {
    execArgv: [...flags, ...limits],
    ...(env && { env: { ...env } }),
    cwd: '/',
    // Ctrl-C in a terminal goes to the whole group. This process ends its workers itself.
    detached: true,
    // Like threads, this passes values that JSON does not have.
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.on('message', (message) => listener.onMessage(message))
  child.on('error', (error) => listener.onEnd(error))
  child.on('exit', (code, signal) => {
    listener.onEnd(new Error(`The worker ended with ${signal ?? `code ${code}`}.`))
  })
  return {
    send(message) {
      // A message to a worker that has just ended is lost. Its end is reported in any case.
      if (child.connected) child.send(message as object, () => {})
    },
    ref() {
      child.ref()
      child.channel?.ref()
    },
    unref() {
      child.unref()
      child.channel?.unref()
    },
    async terminate() {
      // Without a pid the process has not started, so it does not exit either.
      if (child.pid === undefined || !child.kill('SIGKILL')) return
      child.ref()
      await exited
    },
  }
}

function youngMb(memoryMb: number): number {
  return memoryMb / 4
}

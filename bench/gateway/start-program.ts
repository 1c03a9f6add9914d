/** Starts and ends the HTTP programs of the benchmark. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export interface Program extends AsyncDisposable {
  readonly pid: number
}

export const upstreamProgram = fileURLToPath(new URL('../../test/gateway/upstreams/plain-upstream.ts', import.meta.url))

/** The same upstream as a command, for gateways that start theirs. */
export const stdioUpstream: readonly [string, ...string[]] = [process.execPath, upstreamProgram, '--stdio']

const bareRelayProgram = fileURLToPath(new URL('bare-relay.ts', import.meta.url))

export interface Listening extends Program {
  readonly url: string
}

export const startUpstream = (): Promise<Listening> => startListening([upstreamProgram])

export const startBareRelay = (upstreamUrl: string): Promise<Listening> =>
  startListening([bareRelayProgram, upstreamUrl])

/** The program prints where it listens. */
async function startListening(args: readonly string[]): Promise<Listening> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { ...programOf(child, () => child.kill('SIGKILL')), url: line.replace('listening on ', '') }
}

/** Resolves when `probe` succeeds. */
export async function startGateway(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  probe: () => Promise<unknown>,
): Promise<Program> {
  const loopback = ['--import', new URL('loopback.ts', import.meta.url).href]
  // Its own process group, so that its upstreams end with it.
  const child = spawn(process.execPath, [...loopback, ...args], {
    detached: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const program = programOf(child, () => process.kill(-child.pid!, 'SIGKILL'))
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-2_000)))
  const deadline = Date.now() + 30_000
  for (;;) {
    try {
      await probe()
      return program
    } catch (error) {
      if (Date.now() < deadline && child.exitCode === null) await sleep(100)
      else {
        await program[Symbol.asyncDispose]()
        throw new Error(`"${args.join(' ')}" did not become ready: ${errors}`, { cause: error })
      }
    }
  }
}

function programOf(child: ChildProcess, kill: () => void): Program {
  // Also if the benchmark is interrupted.
  process.once('exit', kill)
  return {
    pid: child.pid!,
    async [Symbol.asyncDispose]() {
      process.off('exit', kill)
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      kill()
      await gone
    },
  }
}

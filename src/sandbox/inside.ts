/**
 * What runs inside a sandbox before its program. For a sandbox with its own network, socat listens on loopback ports and
 * passes each connection to a socket that the holder of the session has opened. Pure.
 */
import type { SandboxedProgram } from '../base/confinement.ts'

export interface InsideForwards {
  /** Ports of the sandbox that lead out, each to a socket. */
  readonly outward: readonly { readonly port: number; readonly socket: string }[]
  /** A socket that leads to a port of the program. */
  readonly inward?: { readonly port: number; readonly socket: string } | undefined
}

export const socatMissing =
  'A sandbox with a network of its own needs socat. Install the package "socat", or use "network": "all".'

/** After one side of a connection has ended, the other may still send for this long. */
const restSeconds = 10

/** A busy machine takes its time. Each try is about a hundredth of a second. */
const mostTries = 6_000

/** Runs these lines of a shell script before the program. */
export function withScript(program: SandboxedProgram, lines: readonly string[]): SandboxedProgram {
  if (lines.length === 0) return program
  // The program gets its own PATH back.
  const script = ['PATH=/usr/bin:/bin', ...lines, 'PATH=$1; shift; exec "$@"'].join('\n')
  const args = ['-c', script, 'sandbox', program.env['PATH'] ?? '', program.file, ...program.args]
  return { ...program, file: '/bin/sh', args }
}

/** socat gets a session of its own: Ctrl-C in the terminal is not for it. It ends with the sandbox. */
export function forwardLines({ outward, inward }: InsideForwards, socat: string): readonly string[] {
  const start = (listen: string, connect: string) =>
    `setsid -f ${socat} -t ${restSeconds} ${listen},fork ${connect} </dev/null >/dev/null 2>&1`
  return [
    'tries=0',
    'fail() { echo "The network of the sandbox did not start." >&2; exit 125; }',
    `wait_a_moment() { tries=$((tries + 1)); [ $tries -lt ${mostTries} ] || fail; sleep 0.01; }`,
    'listens() { while read -r _ local _; do case $local in *:"$1") return 0 ;; esac; done </proc/net/tcp; return 1; }',
    ...outward.map(({ port, socket }) =>
      start(`TCP-LISTEN:${port},bind=127.0.0.1,reuseaddr,backlog=128`, `UNIX-CONNECT:${socket}`),
    ),
    ...(inward ? [start(`UNIX-LISTEN:${inward.socket},mode=600,unlink-early`, `TCP:127.0.0.1:${inward.port}`)] : []),
    ...outward.map(
      ({ port }) => `until listens ${port.toString(16).toUpperCase().padStart(4, '0')}; do wait_a_moment; done`,
    ),
    ...(inward ? [`until [ -S ${inward.socket} ]; do wait_a_moment; done`] : []),
  ]
}

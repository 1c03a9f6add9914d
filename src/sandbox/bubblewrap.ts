/** The command line of bubblewrap. */
import type { SandboxedProgram } from '../base/confinement.ts'
import { namesCode, withoutNamesOfCode } from '../base/start-program.ts'
import type { Limits } from './limits.ts'
import type { Mount } from './mounts.ts'
import { arrange } from './mounts.ts'

/** The paths of the programs that build a sandbox, and of the file with the filter for its kernel calls. */
export interface SandboxTools {
  readonly bwrap: string
  readonly env: string
  readonly filter: string
  readonly prlimit: string | undefined
}

export interface BubblewrapOptions {
  readonly tools: SandboxTools
  readonly limits: Limits
  readonly mounts: readonly Mount[]
  readonly hasOwnNetwork: boolean
  /** Whether programs inside may make sandboxes. */
  readonly nested: boolean
  readonly isRoot: boolean
}

/**
 * Signals that a terminal or the hub sends to the whole process group. They must not end bubblewrap: it would take the
 * program with it before the program could react.
 */
const forProgram = ['INT', 'QUIT', 'HUP', 'TERM']

/** The shells of some systems have only descriptors of one digit. bubblewrap closes this one. */
const filterDescriptor = 9

/**
 * Its arguments: the filter, the files of control groups, `--`, and the command line of bubblewrap. bubblewrap reads the
 * filter from a descriptor, and a program in a terminal gets none from whoever starts it.
 */
const opening = [
  `trap '' ${forProgram.join(' ')}`,
  `exec ${filterDescriptor}<"$0"`,
  'while [ "$1" != -- ]; do echo $$ >"$1" || exit 125; shift; done',
  'shift; exec "$@"',
].join('; ')

/** Directories in memory that every sandbox has. */
const ownPlaces = ['/tmp', '/var/tmp', '/run']

/** Nothing is to be written where something is hidden. It is the least that the kernel takes. */
const hiddenBytes = 4_096

export function isOwnPlace(path: string): boolean {
  return ownPlaces.includes(path)
}

/**
 * There is no `--new-session`: with it, the program would lose its terminal, and with that resizing and job control. A
 * program that types into its own terminal by TIOCSTI reaches only itself, since nothing else reads from that terminal.
 */
export function bubblewrap(program: SandboxedProgram, options: BubblewrapOptions): SandboxedProgram {
  const [file = '', ...words] = isolationWords(options)
  const variables = Object.entries(program.env)
  const args = [
    ...words,
    `--chdir=${program.cwd}`,
    ...variables.filter(([name]) => namesCode.test(name)).map(([name, value]) => `${name}=${value}`),
    ...processLimit(options.tools, options.limits),
    program.file,
    ...program.args,
  ]
  return { ...program, file, args, env: withoutNamesOfCode(program.env) }
}

/** The command line, up to the words of `env` that follow: its options, variables, and a program. */
export function isolationWords(options: BubblewrapOptions): readonly string[] {
  const { tools, limits, mounts, hasOwnNetwork, nested, isRoot } = options
  const isolation = '--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try'.split(' ')
  const rights = '--cap-drop ALL --die-with-parent'.split(' ')
  return [
    '/bin/sh',
    '-c',
    opening,
    tools.filter,
    ...limits.makeGroups(),
    '--',
    tools.bwrap,
    ...isolation,
    '--seccomp',
    String(filterDescriptor),
    ...(hasOwnNetwork ? ['--unshare-net'] : []),
    ...(nested ? [] : ['--disable-userns']),
    ...rights,
    // Root needs it to make a user namespace. It holds for this sandbox only.
    ...(nested && isRoot ? ['--cap-add', 'CAP_SETFCAP'] : []),
    ...'--proc /proc --dev /dev'.split(' '),
    '--perms',
    '1777',
    ...inMemory('/dev/shm', limits.placeBytes),
    '--remount-ro',
    '/dev',
    ...ownPlaces.flatMap((path) => inMemory(path, limits.placeBytes)),
    ...arrange(mounts).flatMap((mount) => wordsOf(mount, limits)),
    '--remount-ro',
    '/',
    '--',
    tools.env,
    `--default-signal=${forProgram.join(',')}`,
  ]
}

/** Inside, where the processes of the sandbox count, and not all of the user. */
export function processLimit({ prlimit }: SandboxTools, { mostProcesses }: Limits): readonly string[] {
  return mostProcesses === undefined || prlimit === undefined ? [] : [prlimit, `--nproc=${mostProcesses}`]
}

function inMemory(path: string, bytes: number): readonly string[] {
  return ['--size', String(bytes), '--tmpfs', path]
}

function wordsOf(mount: Mount, { placeBytes }: Limits): readonly string[] {
  switch (mount.is) {
    case 'read':
      return ['--ro-bind', mount.source, mount.path]
    case 'write':
      return ['--bind', mount.source, mount.path]
    case 'empty':
      return inMemory(mount.path, mount.isHidden ? hiddenBytes : placeBytes)
    case 'link':
      return ['--symlink', mount.target, mount.path]
  }
}

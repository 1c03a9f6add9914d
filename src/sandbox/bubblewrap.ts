/** The command line of bubblewrap. Pure. */
import type { SandboxedProgram } from '../base/confinement.ts'
import type { Mount } from './mounts.ts'
import { arrange } from './mounts.ts'

/** The paths of the programs that build a sandbox. */
export interface SandboxTools {
  readonly bwrap: string
  readonly env: string
}

export interface BubblewrapOptions {
  readonly tools: SandboxTools
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
const forProgram = 'INT,QUIT,HUP,TERM'

/** Directories in memory that every sandbox has. */
const ownPlaces = ['/tmp', '/var/tmp', '/run']

export function isOwnPlace(path: string): boolean {
  return ownPlaces.includes(path)
}

/**
 * There is no `--new-session`: with it, the program would lose its terminal, and with that resizing and job control. A
 * program that types into its own terminal by TIOCSTI reaches only itself, since nothing else reads from that terminal.
 */
export function bubblewrap(program: SandboxedProgram, options: BubblewrapOptions): SandboxedProgram {
  const [file = '', ...words] = isolationWords(options)
  return { ...program, file, args: [...words, `--chdir=${program.cwd}`, program.file, ...program.args] }
}

/** They end where the directory of the program and its command line follow. */
export function isolationWords({ tools, mounts, hasOwnNetwork, nested, isRoot }: BubblewrapOptions): readonly string[] {
  const isolation = '--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try'.split(' ')
  const rights = '--cap-drop ALL --die-with-parent'.split(' ')
  return [
    tools.env,
    `--ignore-signal=${forProgram}`,
    tools.bwrap,
    ...isolation,
    ...(hasOwnNetwork ? ['--unshare-net'] : []),
    ...(nested ? [] : ['--disable-userns']),
    ...rights,
    // Root needs it to make a user namespace. It holds for this sandbox only.
    ...(nested && isRoot ? ['--cap-add', 'CAP_SETFCAP'] : []),
    ...'--proc /proc --dev /dev'.split(' '),
    ...ownPlaces.flatMap((path) => ['--tmpfs', path]),
    ...arrange(mounts).flatMap(wordsOf),
    '--remount-ro',
    '/',
    '--',
    tools.env,
    `--default-signal=${forProgram}`,
  ]
}

function wordsOf(mount: Mount): readonly string[] {
  switch (mount.is) {
    case 'read':
      return ['--ro-bind', mount.source, mount.path]
    case 'write':
      return ['--bind', mount.source, mount.path]
    case 'empty':
      return ['--tmpfs', mount.path]
    case 'link':
      return ['--symlink', mount.target, mount.path]
  }
}

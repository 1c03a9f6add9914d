/** The parts of the machine that every sandbox shows, read-only. */
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Mount } from './mounts.ts'
import { isAtOrInside } from './mounts.ts'

const directories = ['/usr', '/etc', '/opt', '/nix/store', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

/** A hub that runs as root could read these. No agent needs them. */
const secretFiles = ['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-']
const secretDirectories = ['/etc/ssl/private', '/etc/NetworkManager/system-connections', '/etc/sudoers.d']

/**
 * Root may write the settings of the kernel, even without capabilities and in a user namespace. Other users may not, and
 * sandboxes inside theirs can mount /proc only if nothing covers parts of it.
 */
const kernelSettings = ['/proc/sys', '/proc/sysrq-trigger']

/** Programs and libraries there are visible without further mounts. */
export function isOfSystem(path: string): boolean {
  return directories.some((directory) => isAtOrInside(path, directory))
}

export function systemMounts({ needsNames }: { readonly needsNames: boolean }): readonly Mount[] {
  const present = directories.flatMap((path): readonly Mount[] => {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (!found) return []
    return [found.isSymbolicLink() ? { is: 'link', path, target: readlinkSync(path) } : read(path)]
  })
  const files = [...secretFiles, ...hostKeys()].filter((path) => existsSync(path))
  return [
    ...present,
    ...files.map((path): Mount => ({ is: 'read', path, source: '/dev/null' })),
    ...secretDirectories
      .filter((path) => existsSync(path))
      .map((path): Mount => ({ is: 'empty', path, isHidden: true })),
    ...(isRoot() ? kernelSettings.filter((path) => existsSync(path)).map(read) : []),
    ...(needsNames ? resolverMounts() : []),
  ]
}

export function isRoot(): boolean {
  return process.getuid?.() === 0
}

function hostKeys(): readonly string[] {
  try {
    const names = readdirSync('/etc/ssh').filter((name) => /^ssh_host_.*_key$/.test(name))
    return names.map((name) => join('/etc/ssh', name))
  } catch {
    return [] // there are none, or this user cannot see them
  }
}

/** The file with the name servers is often a link to a directory that is not shown. */
function resolverMounts(): readonly Mount[] {
  try {
    const source = realpathSync('/etc/resolv.conf')
    return isOfSystem(source) ? [] : [{ is: 'read', path: source, source }]
  } catch {
    return []
  }
}

function read(path: string): Mount {
  return { is: 'read', path, source: path }
}

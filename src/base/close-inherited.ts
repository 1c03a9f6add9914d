/**
 * Closes the descriptors above 2 that this process inherited, such as a directory that the person's shell has open. The
 * programs that it starts would inherit them in turn, and could open through them what a sandbox hides. Node keeps only
 * low numbers from them.
 */
import { closeSync, readFileSync, readdirSync } from 'node:fs'

/** Of open(2). Node opens everything of its own with it. */
const closeOnExec = 0o2000000

/**
 * For the start of a process that is ours alone. Elsewhere than on Linux there is nothing to do: on macOS, the kernel
 * closes all descriptors that a program is not meant to get.
 */
export function closeInherited(): void {
  if (process.platform !== 'linux') return
  for (const name of readdirSync('/proc/self/fdinfo')) {
    const descriptor = Number(name)
    if (descriptor > 2 && isInheritable(descriptor)) closeSync(descriptor)
  }
}

function isInheritable(descriptor: number): boolean {
  const flags = /^flags:\s*([0-7]+)$/m.exec(infoOf(descriptor) ?? '')?.[1]
  // The descriptor of the list itself is gone by now, and other threads of Node open and close theirs.
  return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0
}

function infoOf(descriptor: number): string | undefined {
  try {
    return readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

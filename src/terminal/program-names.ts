/** The names of the programs in the foreground of a terminal. */
import { processTable } from './process-table.ts'

/** Programs that run the script in the next word. */
const interpreters = new Set(['node', 'bun', 'deno', 'python', 'python3', 'sh', 'bash', 'env'])
/** `npx` runs a shell, which runs node, which runs the program. */
const maxDepth = 5
/** A build may run any number of programs. */
const maxPerLevel = 16

/** The names of a process and its descendants, level by level, so that a wrapper comes before its program. */
export async function programNames(pid: number): Promise<readonly string[]> {
  const names: string[] = []
  let level: readonly number[] = [pid]
  for (let depth = 0; depth < maxDepth; depth++) {
    for (const each of level) names.push(...namesIn(await processTable.words(each)))
    level = (await Promise.all(level.map((each) => processTable.children(each)))).flat().slice(0, maxPerLevel)
  }
  return names
}

/** The program of a command line, and the script if the program is an interpreter. */
export function namesIn([program = '', ...args]: readonly string[]): readonly string[] {
  const name = lastPart(program).replace(/^-/, '')
  if (!interpreters.has(name)) return [name]
  const script = args.find((arg) => !arg.startsWith('-'))
  return script === undefined ? [name] : [name, lastPart(script).replace(/\.(js|mjs|cjs|py)$/, '')]
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

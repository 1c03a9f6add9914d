/**
 * Writes the results of a benchmark into docs/benchmarks.md, between `<!-- bench:name -->` and `<!-- /bench:name -->`.
 */
import { readFile, writeFile } from 'node:fs/promises'

const page = new URL('../docs/benchmarks.md', import.meta.url)

export async function writeIntoDocs(bench: string, text: string): Promise<void> {
  const before = await readFile(page, 'utf8')
  const [begin, end] = [`<!-- ${bench} -->`, `<!-- /${bench} -->`]
  const [from, to] = [before.indexOf(begin), before.indexOf(end)]
  if (from < 0 || to < from) {
    throw new Error(`docs/benchmarks.md has no place for the table. Add ${begin} and ${end} to it.`)
  }
  await writeFile(page, `${before.slice(0, from + begin.length)}\n\n${text}\n\n${before.slice(to)}`)
}

/** Puts what a bench found where the README shows it, between `<!-- bench:name -->` and `<!-- /bench:name -->`. */
import { readFile, writeFile } from 'node:fs/promises'

const readme = new URL('../README.md', import.meta.url)

export async function writeIntoReadme(bench: string, text: string): Promise<void> {
  const before = await readFile(readme, 'utf8')
  const [begin, end] = [`<!-- ${bench} -->`, `<!-- /${bench} -->`]
  const [from, to] = [before.indexOf(begin), before.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`README.md has no place for the table: put ${begin} and ${end} into it.`)
  await writeFile(readme, `${before.slice(0, from + begin.length)}\n\n${text}\n\n${before.slice(to)}`)
}

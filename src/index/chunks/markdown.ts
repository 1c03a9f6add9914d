/** Markdown is split at its headings. A section is a definition, named by its headings. */
import type { Definition } from './definitions.ts'

export function isMarkdown(path: string): boolean {
  return /\.(md|markdown|mdx)$/i.test(path)
}

export function sectionsOf(text: string): readonly Definition[] {
  const lines = text.split('\n')
  const sections: (Definition & { level: number; endLine: number })[] = []
  const open: (typeof sections)[number][] = []
  let fence: string | undefined
  const close = (level: number, line: number) => {
    while (open.length > 0 && open.at(-1)!.level >= level) open.pop()!.endLine = line
  }
  for (const [index, line] of lines.entries()) {
    const mark = /^ {0,3}(```+|~~~+)/.exec(line)?.[1]
    if (mark !== undefined) {
      if (fence === undefined) fence = mark
      else if (mark.startsWith(fence)) fence = undefined
    }
    const [, marks, title] = (fence === undefined && /^(#{1,6})\s+(.*?)[\s#]*$/.exec(line)) || []
    if (marks === undefined || title === undefined || title === '') continue
    close(marks.length, index)
    const around = open.at(-1)
    const name = title.slice(0, 120)
    const symbol = around ? `${around.symbol} > ${name}` : name
    const section = { name, symbol, kind: 'section', startLine: index + 1, endLine: 0, level: marks.length }
    sections.push(section)
    open.push(section)
  }
  close(0, text.endsWith('\n') ? lines.length - 1 : lines.length)
  return sections
}

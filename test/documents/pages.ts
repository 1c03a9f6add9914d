/** The pages of the documentation and their links, and whether a link is broken. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from './newcomer.ts'

export interface Link {
  /** The page with the link, relative to the root. */
  readonly page: string
  readonly target: string
}

export const pages: readonly string[] = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).toSorted()

export function linksOf(page: string): readonly Link[] {
  return [...readProse(page).matchAll(/\[[^\]]+\]\(([^)\s]+)\)/g)].map(([, target = '']) => ({ page, target }))
}

/** Links to other sites are not checked, because tests use no network. */
export function isBroken({ page, target }: Link): boolean {
  if (/^https?:/.test(target)) return false
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? join(root, page) : join(root, dirname(page), path)
  if (!existsSync(file)) return true
  if (anchor === undefined) return false
  return statSync(file).isDirectory() || !anchorsOf(relative(root, file)).includes(anchor)
}

export function readPage(page: string): string {
  return readFileSync(join(root, page), 'utf8')
}

/** The page without its code blocks. */
export function readProse(page: string): string {
  return readPage(page).replaceAll(/^```[\s\S]*?^```$/gm, '')
}

/** The anchors that GitHub makes from headings. */
function anchorsOf(page: string): readonly string[] {
  return [...readPage(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

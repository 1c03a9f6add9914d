/** The path of the script of the page, which is its largest file. Its name changes with its content. */
export function scriptOf(document: string): string {
  const path = /src="\.?(\/assets\/[^"]+\.js)"/.exec(document)?.[1]
  if (path === undefined) throw new Error(`The page names no script: ${document.slice(0, 500)}`)
  return path
}

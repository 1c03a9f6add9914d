/** Finds the selection menu on a screen: a list of choices, one of them marked, which waits for a person. */

export interface Menu {
  /** The question, if it can be found in the lines above the choices. */
  readonly question: string | undefined
  /** At least two, top to bottom. */
  readonly choices: readonly Choice[]
  /** The index of the marked choice, which Enter selects. */
  readonly marked: number
}

export interface Choice {
  /** The number on the screen, if the menu has numbers. */
  readonly number?: number
  readonly label: string
}

/** A line of a menu, with the column of its label. */
interface Line {
  readonly number: number | undefined
  readonly label: string
  readonly labelColumn: number
  /** It has a checkbox, or a tick for the current setting. */
  readonly isTicked: boolean
}

const marks = '❯›●▶▸➤>'
const mark = new RegExp(`^(\\s*)[${marks}](?=\\s|$)`)
const numbered = /^\s*(\d{1,3})[.)]\s+(\S.*)$/
/** Menus say how to leave them. Lines without such a footer, a question above or a tick are just text. */
const footer =
  /\benter (to )?(confirm|select|continue|submit|set)\b|\besc (to )?(cancel|exit|close|go back|back|skip)\b/i

/** There may be descriptions between two choices, and a hint below the last. */
const maxGap = 4
const maxBelow = 14

/**
 * The lowest marker on the screen decides: the prompt of an idle agent has a marker too, and is below any menu that the
 * agent quotes.
 */
export function findMenu(screen: readonly string[]): Menu | undefined {
  const lines = screen.map(withoutFrame)
  const at = lines.findLastIndex((line) => mark.test(line))
  if (at === -1) return undefined
  const own = readMarked(lines[at]!)
  if (!own) return undefined
  const found = own.number === undefined ? collectPlain(lines, at, own) : collectNumbered(lines, at, own)
  if (found.length < 2) return undefined
  const [first, last] = [found[0]!.index, found.at(-1)!.index]
  const below = lines.slice(last + 1).filter((line) => line.trim() !== '')
  if (below.length > maxBelow) return undefined
  const question = questionAbove(lines.slice(0, first))
  const hasFooter = below.some((line) => footer.test(line))
  const isMenu =
    own.number === undefined
      ? hasFooter || /[?:]$/.test(question ?? '') || found.some(({ line }) => line.isTicked)
      : // A numbered list in a prompt looks the same, but has the status line below it.
        hasFooter || below.every((line) => isRule(line.trim()))
  if (!isMenu) return undefined
  return {
    question,
    choices: found.map(({ line: { number, label } }) => ({ ...(number !== undefined && { number }), label })),
    marked: found.findIndex(({ index }) => index === at),
  }
}

/** The choice with this number or label. The answer may leave out hints after a label. */
export function choiceFor(menu: Menu, answer: string): number | undefined {
  const wanted = normalize(answer)
  const index = menu.choices.findIndex(
    ({ number, label }) =>
      (number !== undefined && (wanted === String(number) || wanted === `${number}.`)) ||
      wanted === normalize(label) ||
      wanted === normalize(withoutHint(label)),
  )
  return index === -1 ? undefined : index
}

function normalize(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').toLowerCase()
}

/** `Yes, proceed (y)`, `Dark mode ✔`, `Opus    Best for complex tasks` */
function withoutHint(label: string): string {
  return label.replace(/\s{2,}.*$/, '').replace(/\s*(\([^()]*\)|✔)$/, '')
}

interface Found {
  readonly index: number
  readonly line: Line
}

function readMarked(line: string): Line | undefined {
  const own = line.replace(mark, '$1 ')
  // Menus without numbers use only this marker. The others also begin quotes, lists and prompts.
  return readNumbered(own) ?? (line.trimStart().startsWith('❯') ? readPlain(own) : undefined)
}

function readNumbered(line: string): Line | undefined {
  const [, digits, label] = numbered.exec(line) ?? []
  if (digits === undefined || label === undefined) return undefined
  return { number: Number(digits), label: withoutBox(label), labelColumn: line.lastIndexOf(label), isTicked: false }
}

function readPlain(line: string): Line | undefined {
  const label = withoutBox(line.trim())
  if (label === '') return undefined
  return { number: undefined, label, labelColumn: line.indexOf(label), isTicked: label !== line.trim() }
}

/** Collects lines above and below with consecutive numbers and aligned labels. */
function collectNumbered(lines: readonly string[], at: number, own: Line): readonly Found[] {
  function walk(step: 1 | -1): readonly Found[] {
    const found: Found[] = []
    let wanted = own.number! + step
    let gap = 0
    for (let index = at + step; index >= 0 && index < lines.length && gap <= maxGap; index += step) {
      const line = readNumbered(lines[index]!)
      if (line?.number === wanted && line.labelColumn === own.labelColumn) {
        found.push({ index, line })
        wanted += step
        gap = 0
      } else gap++
    }
    return found
  }
  return [...walk(-1).toReversed(), { index: at, line: own }, ...walk(1)]
}

/** Collects the adjacent lines with aligned labels. */
function collectPlain(lines: readonly string[], at: number, own: Line): readonly Found[] {
  function walk(step: 1 | -1): readonly Found[] {
    const found: Found[] = []
    for (let index = at + step; index >= 0 && index < lines.length; index += step) {
      const line = readPlain(lines[index]!)
      if (line?.labelColumn !== own.labelColumn) break
      found.push({ index, line })
    }
    return found
  }
  return [...walk(-1).toReversed(), { index: at, line: own }, ...walk(1)]
}

/** `[ ] Red`, `✔ Dark mode` */
function withoutBox(label: string): string {
  return label.replace(/^(\[.\]|[☐☑☒◯◉✔])\s+/u, '').trimEnd()
}

/** The last question in the two paragraphs above, else the first line of the nearest one. */
function questionAbove(above: readonly string[]): string | undefined {
  const paragraphs: string[][] = [[]]
  for (const line of above.toReversed()) {
    const text = line.trim()
    if (isRule(text)) break
    const paragraph = paragraphs[0]!
    if (text !== '') paragraph.unshift(text)
    else if (paragraph.length > 0 && paragraphs.unshift([]) > 3) break
  }
  const near = paragraphs.filter((paragraph) => paragraph.length > 0).slice(-2)
  return near.flat().findLast((text) => text.endsWith('?')) ?? near.at(-1)?.[0]
}

function isRule(text: string): boolean {
  return /^[\u2500-\u259F]{5}|^[\u2500-\u259F\s]+$/.test(text)
}

/** Removes the edges of a box, and keeps the columns of the text. */
function withoutFrame(line: string): string {
  return line.replace(/^(\s*)[│┃║|](?=\s)/, '$1 ').replace(/\s*[│┃║]\s*$/, '')
}

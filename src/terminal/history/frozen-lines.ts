/** Lines that no longer change, as packed text: a hundred thousand of them take a few megabytes. */
import type { TextRow } from '../screen/screen-rows.ts'
import type { PrintedRow } from './text-row.ts'
import { createTextRow } from './text-row.ts'

export interface FrozenLines {
  readonly length: number
  add(row: PrintedRow): void
  /** 0 is the oldest line that is still kept. */
  rows(from: number, to: number): readonly TextRow[]
  clear(): void
}

interface Block {
  /** The lines, each with a line feed at its end. */
  readonly text: Buffer
  readonly isWrapped: Uint8Array
}

const blockLines = 1000

/** Beyond `maxBytes`, the oldest lines are dropped. */
export function createFrozenLines(maxBytes: number): FrozenLines {
  let blocks: Block[] = []
  let bytes = 0
  let open: PrintedRow[] = []

  function pack(): void {
    const block = {
      text: Buffer.from(open.map(({ printedText }) => `${printedText}\n`).join('')),
      isWrapped: Uint8Array.from(open, ({ isWrapped }) => (isWrapped ? 1 : 0)),
    }
    open = []
    blocks.push(block)
    bytes += block.text.length
    while (bytes > maxBytes && blocks.length > 1) bytes -= blocks.shift()!.text.length
  }

  function rowsOf(index: number): readonly TextRow[] {
    const block = blocks[index]
    if (!block) return open.map(createTextRow)
    const texts = block.text.toString('utf8').split('\n')
    return Array.from(block.isWrapped, (isWrapped, line) =>
      createTextRow({ printedText: texts[line]!, isWrapped: isWrapped === 1 }),
    )
  }

  return {
    get length() {
      return blocks.length * blockLines + open.length
    },
    add({ printedText, isWrapped }) {
      open.push({ printedText, isWrapped })
      if (open.length === blockLines) pack()
    },
    rows(from, to) {
      const first = Math.floor(from / blockLines)
      const last = Math.min(Math.ceil(to / blockLines), blocks.length + 1)
      const rows = Array.from({ length: Math.max(0, last - first) }, (_, index) => rowsOf(first + index)).flat()
      return rows.slice(from - first * blockLines, to - first * blockLines)
    },
    clear() {
      blocks = []
      open = []
      bytes = 0
    },
  }
}

import type { Canvas } from '@napi-rs/canvas'
import { createCanvas, loadImage } from '@napi-rs/canvas'
import { expect, test } from 'vitest'
import { screenWith } from '../../../test/fixtures/screen-with.ts'
import { cell, margin } from './picture.ts'
import { drawScreen, pictureSize } from './screenshot.ts'

interface Pixels {
  readonly width: number
  readonly height: number
  /** `#rrggbb` of each pixel of a cell, row by row. */
  cell(row: number, column: number, columns?: number): readonly string[][]
}

async function draw(output: string, size = { cols: 20, rows: 4 }): Promise<Pixels> {
  using screen = await screenWith(output, { size })
  const png = await drawScreen(screen)
  const image = await loadImage(png)
  const canvas: Canvas = createCanvas(image.width, image.height)
  const context = canvas.getContext('2d')
  context.drawImage(image, 0, 0)
  return {
    width: image.width,
    height: image.height,
    cell(row, column, columns = 1) {
      const width = columns * cell.width
      const { data } = context.getImageData(
        margin + column * cell.width,
        margin + row * cell.height,
        width,
        cell.height,
      )
      const colourAt = (at: number) =>
        `#${[...data.subarray(at, at + 3)].map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
      return Array.from({ length: cell.height }, (_, y) =>
        Array.from({ length: width }, (__, x) => colourAt((y * width + x) * 4)),
      )
    },
  }
}

function coloursOf(pixels: readonly string[][]): ReadonlySet<string> {
  return new Set(pixels.flat())
}

const hidden = '\x1b[?25l'

test('a screenshot has the size that pictureSize returns', async () => {
  const { width, height } = await draw('', { cols: 33, rows: 7 })
  expect({ width, height }).toEqual(pictureSize({ cols: 33, rows: 7 }))
  expect({ width, height }).toEqual({ width: 33 * 9 + 16, height: 7 * 20 + 16 })
})

test('background colours fill exactly their cells', async () => {
  const picture = await draw(`${hidden}\x1b[48;2;10;20;30m \x1b[48;5;196m  \x1b[0m \x1b[7;38;2;1;2;3m \x1b[0m`)
  expect(coloursOf(picture.cell(0, 0))).toEqual(new Set(['#0a141e']))
  expect(coloursOf(picture.cell(0, 1, 2))).toEqual(new Set(['#ff0000']))
  expect(coloursOf(picture.cell(0, 3))).toEqual(new Set(['#000000']))
  expect(coloursOf(picture.cell(0, 4))).toEqual(new Set(['#010203']))
  expect(coloursOf(picture.cell(1, 0, 20))).toEqual(new Set(['#000000']))
})

test('the default colours that a program has set are used', async () => {
  const picture = await draw(`${hidden}\x1b]11;#202020\x07\x1b]10;#00ff00\x07█`)
  expect(coloursOf(picture.cell(0, 0))).toEqual(new Set(['#00ff00']))
  expect(coloursOf(picture.cell(1, 1))).toEqual(new Set(['#202020']))
})

test('each style is drawn differently', async () => {
  const styles = ['0', '1', '2', '3', '4', '7', '9', '1;3', '31']
  const picture = await draw(hidden + styles.map((style) => `\x1b[${style}mH\x1b[0m`).join(''))
  const drawn = styles.map((_, column) =>
    picture
      .cell(0, column)
      .map((line) => line.join())
      .join('\n'),
  )
  expect(new Set(drawn).size).toBe(styles.length)
})

test('invisible text is not drawn', async () => {
  const picture = await draw(`${hidden}\x1b[8mH`)
  expect(coloursOf(picture.cell(0, 0)).size).toBe(1)
})

test.each([
  ['Chinese', '漢', '字'],
  ['Korean', '한', '국'],
  ['Japanese', 'か', 'な'],
])('%s characters are drawn, and not as boxes', async (_, one, other) => {
  const picture = await draw(`${hidden}${one}${other}\ufff0`)
  const [first, second, unknown] = [picture.cell(0, 0, 2), picture.cell(0, 2, 2), picture.cell(0, 4, 2)]
  expect(first).not.toEqual(second)
  expect(coloursOf(first).size).toBeGreaterThan(1)
  expect(first).not.toEqual(unknown)
})

test('emoji are drawn in colour, and differ from each other', async () => {
  const picture = await draw(`${hidden}😀🚀❤\ufe0f`)
  const [face, rocket, heart] = [picture.cell(0, 0, 2), picture.cell(0, 2, 2), picture.cell(0, 4)]
  expect(face).not.toEqual(rocket)
  const isGrey = (colour: string) =>
    colour.slice(1, 3) === colour.slice(3, 5) && colour.slice(3, 5) === colour.slice(5, 7)
  for (const emoji of [face, rocket, heart])
    expect([...coloursOf(emoji)].filter((colour) => !isGrey(colour)).length).toBeGreaterThan(3)
})

test.each([
  ['a family', '👨‍👩‍👧‍👦', 8],
  ['a flag', '🇩🇪', 2],
  ['a skin tone', '👍🏽', 4],
  ['a rainbow flag', '🏳️‍🌈', 3],
])('%s is drawn as one picture, and the rest of its cells stays empty', async (_, text, columns) => {
  const picture = await draw(`${hidden}${text}|`)
  const firstPart = await draw(`${hidden}${String.fromCodePoint(text.codePointAt(0)!)}`)
  expect(coloursOf(picture.cell(0, 0, 2)).size).toBeGreaterThan(3)
  expect(picture.cell(0, 0, 2)).not.toEqual(firstPart.cell(0, 0, 2))
  for (let column = 2; column < columns; column++) expect(coloursOf(picture.cell(0, column)).size, `${column}`).toBe(1)
  expect(picture.cell(0, columns)).toEqual((await draw(`${hidden}|`)).cell(0, 0))
})

test('box drawing lines join across cells', async () => {
  const white = '#ffffff'
  for (const box of ['┌┬┐\r\n├┼┤\r\n└┴┘', '┏┳┓\r\n┣╋┫\r\n┗┻┛', '╔╦╗\r\n╠╬╣\r\n╚╩╝', '╭┬╮\r\n├┼┤\r\n╰┴╯']) {
    const picture = await draw(hidden + box)
    for (const row of [0, 1, 2]) {
      const [left, middle] = [picture.cell(row, 0), picture.cell(row, 1)]
      const ends = left.map((line) => line.at(-1) === white)
      expect(ends, box).toContain(true)
      expect(middle.map((line) => line[0] === white)).toEqual(ends)
    }
    for (const column of [0, 1, 2]) {
      const [upper, lower] = [picture.cell(0, column), picture.cell(1, column)]
      expect(lower[0]!.map((colour) => colour === white)).toEqual(upper.at(-1)!.map((colour) => colour === white))
    }
  }
})

test('block elements fill exactly their part of the cell', async () => {
  const picture = await draw(`${hidden}█▀▄▌▐▁`)
  const filled = (column: number) =>
    picture
      .cell(0, column)
      .flat()
      .filter((colour) => colour === '#ffffff').length
  const whole = cell.width * cell.height
  expect(filled(0)).toBe(whole)
  expect(filled(1) + filled(2)).toBe(whole)
  expect(filled(3) + filled(4)).toBe(whole)
  expect(filled(5)).toBe(cell.width * Math.floor(cell.height / 8))
})

test.each([
  ['block', '2', cell.width * cell.height],
  ['underline', '4', cell.width * 2],
  ['bar', '6', cell.height * 2],
])('the cursor is drawn as a %s if the program asked for it', async (_, shape, pixels) => {
  const picture = await draw(`\x1b[${shape} q`)
  expect(
    picture
      .cell(0, 0)
      .flat()
      .filter((colour) => colour === '#ffffff'),
  ).toHaveLength(pixels)
})

test('the character under a block cursor is visible, and a hidden cursor is not drawn', async () => {
  const under = (await draw('H\r')).cell(0, 0)
  expect(coloursOf(under)).toContain('#ffffff')
  expect(coloursOf(under)).toContain('#000000')
  expect((await draw(`${hidden}H\r`)).cell(0, 0)).toEqual((await draw('H')).cell(0, 0))
})

test('concurrent screenshots each show the screen at the time of the call', async () => {
  using screen = await screenWith(`${hidden}one`)
  const first = drawScreen(screen)
  await screen.feed(Buffer.from('\rtwo'))
  const second = drawScreen(screen)
  const again = drawScreen(await screenWith(`${hidden}one`))
  expect((await first).equals(await again)).toBe(true)
  expect((await first).equals(await second)).toBe(false)
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linesOf } from './lines.ts'

async function* chunked(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let start = 0
  for (let turn = 0; start < bytes.length; turn++) {
    const end = start + (sizes[turn % sizes.length] ?? 1)
    yield bytes.subarray(start, end)
    start = end
  }
}

async function textsOf(bytes: Buffer, sizes: readonly number[], maxBytes = Infinity): Promise<string[]> {
  const lines = await Array.fromAsync(linesOf(chunked(bytes, sizes), maxBytes))
  return lines.map((line) => line.toString('utf8'))
}

test('reads the same lines however the bytes are cut', async () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n]/g, ''))
  const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 })
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.constantFrom('\n', '\r\n'), sizes, async (lines, end, cuts) => {
      const bytes = Buffer.from(lines.map((text) => text + end).join(''))
      expect(await textsOf(bytes, cuts)).toEqual(lines)
    }),
  )
})

test('the end of the stream ends the last line', async () => {
  expect(await textsOf(Buffer.from('one\ntwo'), [2])).toEqual(['one', 'two'])
  expect(await textsOf(Buffer.from(''), [2])).toEqual([])
})

test('yields the lines before one that is too long, and fails as soon as the limit is exceeded', async () => {
  const seen: string[] = []
  const endless = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from('short\n')
    for (;;) yield Buffer.alloc(10, 'x')
  }
  const read = async () => {
    for await (const line of linesOf(endless(), 25)) seen.push(line.toString())
  }
  await expect(read()).rejects.toMatchObject({ code: 'too-large', message: expect.stringContaining('25 bytes') })
  expect(seen).toEqual(['short'])
})

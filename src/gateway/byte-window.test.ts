import { expect, test } from 'vitest'
import { cutWindow } from './byte-window.ts'

const all = (text: string, size: number) => {
  const parts: string[] = []
  for (let offset = 0; offset < Buffer.byteLength(text);) {
    const [part] = cutWindow([{ uri: 'a:b', text }], offset, size)
    parts.push(part?.text ?? '')
    offset += part?.bytes_returned ?? Number.POSITIVE_INFINITY
  }
  return parts
}

test.each([1, 2, 3, 4, 5, 7, 100])(
  'windows of %i bytes put together are the whole text, and no character is cut',
  (size) => {
    const text = 'aé工😀 b\u0000ü'
    const parts = all(text, size)
    expect(parts.join('')).toBe(text)
    expect(parts.join('')).not.toContain('\uFFFD')
  },
)

test('a window covers several contents, texts and bytes alike', () => {
  const contents = [{ text: 'abc' }, { blob: Buffer.from('defg').toString('base64') }, { text: 'hij' }]
  expect(cutWindow(contents, 2, 4)).toEqual([
    { kind: 'text', text: 'c', total_bytes: 3, bytes_returned: 1 },
    { kind: 'base64', base64: Buffer.from('def').toString('base64'), total_bytes: 4, bytes_returned: 3 },
  ])
  expect(cutWindow(contents, 0, 0).map((part) => part.bytes_returned)).toEqual([3, 4, 3])
  expect(cutWindow(contents, 10, 5)).toEqual([])
})

test('an entry that is not a content is left out, and an empty content is not', () => {
  expect(cutWindow([null, 'text', { text: '' }, {}], 0, 10)).toEqual([
    { kind: 'text', text: '', total_bytes: 0, bytes_returned: 0 },
    { kind: 'base64', base64: '', total_bytes: 0, bytes_returned: 0 },
  ])
})

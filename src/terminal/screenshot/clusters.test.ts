import { expect, test } from 'vitest'
import { screenWith } from '../../../test/fixtures/screen-with.ts'
import { joinClusters } from './clusters.ts'
import { describePicture } from './picture.ts'

/** The glyphs that are drawn for an output, each with its column and width. */
async function glyphsOf(output: string): Promise<readonly string[]> {
  using screen = await screenWith(output, { size: { cols: 40, rows: 1 } })
  const [row = []] = describePicture(screen).rows
  return row
    .flatMap(({ glyphs }) => joinClusters(glyphs))
    .map(({ text, column, width }) => `${text} ${column}+${width}`)
}

test.each([
  ['a family', '👨‍👩‍👧‍👦', 8],
  ['a kiss', '👩‍❤️‍💋‍👨', 7],
  ['a flag', '🇩🇪', 2],
  ['the flag of England', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 2],
  ['a rainbow flag', '🏳️‍🌈', 3],
  ['a skin tone', '👍🏽', 4],
  ['a profession with a skin tone', '👩🏾‍💻', 6],
  ['a keycap', '1️⃣', 1],
  ['a letter with a mark', 'e\u0301', 1],
])('%s is one glyph over the cells it takes', async (_, text, width) => {
  expect(await glyphsOf(`a${text}b`)).toEqual(['a 0+1', `${text} 1+${width}`, `b ${1 + width}+1`])
})

test('neighbours that are not a cluster stay apart', async () => {
  expect(await glyphsOf('🇩🇪🇯🇵')).toEqual(['🇩🇪 0+2', '🇯🇵 2+2'])
  expect(await glyphsOf('😀🚀漢字')).toEqual(['😀 0+2', '🚀 2+2', '漢 4+2', '字 6+2'])
})

test('parts with a gap or different styles between them stay apart', async () => {
  expect(await glyphsOf('👍\x1b[1;6H🏽')).toEqual(['👍 0+2', '🏽 5+2'])
  expect(await glyphsOf('👍\x1b[31m🏽')).toEqual(['👍 0+2', '🏽 2+2'])
})

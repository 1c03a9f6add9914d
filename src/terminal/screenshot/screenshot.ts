/** A picture of a screen, as PNG. Drawn by a thread: fonts take their time and memory once, and not the hub's. */
import { siblingModule } from '../../base/sibling-module.ts'
import type { Screen } from '../screen.ts'
import { createThread } from '../thread.ts'
import type { Picture } from './picture.ts'
import { describePicture } from './picture.ts'

export { pictureSize } from './picture.ts'

const thread = createThread<Picture>({
  module: siblingModule('draw-thread', import.meta.url),
  // Fonts that happen to be installed would make every machine draw another picture.
  env: { DISABLE_SYSTEM_FONTS_LOAD: '1' },
})

/** As the screen is now. */
export async function drawScreen(screen: Screen): Promise<Buffer> {
  const png = await thread.ask<Uint8Array>(describePicture(screen))
  return Buffer.from(png.buffer, png.byteOffset, png.byteLength)
}

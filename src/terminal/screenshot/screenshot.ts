/** A screenshot as PNG, drawn by a worker: the fonts take time and memory once, and not in the hub's own thread. */
import { siblingModule } from '../../base/sibling-module.ts'
import type { Screen } from '../screen/screen.ts'
import { createWorker } from '../../base/worker.ts'
import type { Picture } from './picture.ts'
import { describePicture } from './picture.ts'

export { pictureSize } from './picture.ts'

const worker = createWorker<Picture>({
  module: siblingModule('draw-worker', import.meta.url),
  // Fonts that happen to be installed would change the picture from machine to machine.
  env: { DISABLE_SYSTEM_FONTS_LOAD: '1' },
})

/** Draws the screen as it is now. */
export async function drawScreen(screen: Screen): Promise<Buffer> {
  const png = await worker.ask<Uint8Array>(describePicture(screen))
  return Buffer.from(png.buffer, png.byteOffset, png.byteLength)
}

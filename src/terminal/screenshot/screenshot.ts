/** A picture of a screen, as PNG. Drawn by a thread that is started for the first one and ends when nobody asks any more. */
import { Worker } from 'node:worker_threads'
import { siblingModule } from '../../base/sibling-module.ts'
import type { Screen } from '../screen.ts'
import type { Picture } from './picture.ts'
import { describePicture } from './picture.ts'

export { pictureSize } from './picture.ts'

export interface DrawRequest {
  readonly id: number
  readonly picture: Picture
}

export type DrawReply =
  | { readonly id: number; readonly png: Uint8Array }
  | { readonly id: number; readonly failed: unknown }

const idleMs = 60_000

/** As the screen is now. */
export function drawScreen(screen: Screen): Promise<Buffer> {
  thread ??= startThread()
  return thread.draw(describePicture(screen))
}

interface Thread {
  draw(picture: Picture): Promise<Buffer>
}

/** One for the process: fonts take their time and memory once. */
let thread: Thread | undefined

function startThread(): Thread {
  // Fonts that happen to be installed would make every machine draw another picture.
  const env = { DISABLE_SYSTEM_FONTS_LOAD: '1' }
  const worker = new Worker(siblingModule('draw-thread', import.meta.url), { env })
  const waiting = new Map<number, PromiseWithResolvers<Buffer>>()
  let lastId = 0
  const idle = setTimeout(() => end(new Error('nobody waits')), idleMs)
  // It keeps no process alive by itself, only while somebody waits for it.
  worker.unref()
  idle.unref()

  worker.on('message', (reply: DrawReply) => {
    const { resolve, reject } = waiting.get(reply.id)!
    waiting.delete(reply.id)
    if (waiting.size === 0) worker.unref()
    if ('png' in reply) resolve(Buffer.from(reply.png.buffer, reply.png.byteOffset, reply.png.byteLength))
    else reject(reply.failed)
  })
  worker.on('error', end)
  worker.on('exit', (code) => end(new Error(`the drawing thread ended with ${code}`)))

  function end(reason: unknown): void {
    if (thread === self) thread = undefined
    clearTimeout(idle)
    for (const { reject } of waiting.values()) reject(reason)
    waiting.clear()
    void worker.terminate()
  }

  const self: Thread = {
    draw(picture) {
      const id = ++lastId
      const { promise, ...settle } = Promise.withResolvers<Buffer>()
      waiting.set(id, { promise, ...settle })
      worker.ref()
      idle.refresh()
      worker.postMessage({ id, picture } satisfies DrawRequest)
      return promise
    },
  }
  return self
}

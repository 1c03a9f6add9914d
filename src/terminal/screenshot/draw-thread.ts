/** The thread behind screenshot: the canvas and its fonts are loaded here, and the main thread never waits for them. */
import { parentPort } from 'node:worker_threads'
import { paint } from './paint.ts'
import type { DrawReply, DrawRequest } from './screenshot.ts'

parentPort?.on('message', ({ id, picture }: DrawRequest) => {
  parentPort?.postMessage(draw(id, picture))
})

function draw(id: number, picture: DrawRequest['picture']): DrawReply {
  try {
    return { id, png: paint(picture) }
  } catch (failed) {
    return { id, failed }
  }
}

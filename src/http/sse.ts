/** Server-sent events: the writing end of a stream, never buffered by us or by what stands in between. */
import type { ServerResponse } from 'node:http'
import type { Outlet } from '../mcp/mcp.ts'

export interface SseStreams {
  open(response: ServerResponse): SseOutlet
  readonly size: number
  /** Stops the keep-alives. */
  close(): void
}

export interface SseOutlet extends Outlet {
  event(name: string, data: string): void
}

const keepAliveMs = 15_000
/** A reader that lets so much pile up is cut off. It loses nothing where it can resume. */
const maxBacklogBytes = 4 * 1024 * 1024

export function createSseStreams(): SseStreams {
  const open = new Set<ServerResponse>()
  const timer = setInterval(() => {
    // One that was ended stays open until its reader has read it all.
    for (const response of open) if (!response.writableEnded) response.write(': keep-alive\n\n')
  }, keepAliveMs)
  timer.unref()

  return {
    get size() {
      return open.size
    },
    open(response) {
      response.writeHead(200, {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-cache, no-transform',
        'X-Accel-Buffering': 'no',
      })
      response.flushHeaders()
      open.add(response)
      response.on('close', () => open.delete(response))
      return outletOf(response)
    },
    close: () => clearInterval(timer),
  }
}

function outletOf(response: ServerResponse): SseOutlet {
  const isOpen = () => !response.writableEnded && !response.destroyed
  function write(frame: string): void {
    if (!isOpen()) return
    if (response.writableLength > maxBacklogBytes) response.destroy()
    else response.write(frame)
  }
  return {
    get isOpen() {
      return isOpen()
    },
    get isReady() {
      return !response.writableNeedDrain
    },
    send: (message, eventId) =>
      write(`event: message\n${eventId === undefined ? '' : `id: ${eventId}\n`}data: ${JSON.stringify(message)}\n\n`),
    prime: (eventId) => write(`id: ${eventId}\ndata: \n\n`),
    event: (name, data) => write(`event: ${name}\ndata: ${data}\n\n`),
    onDrain: (listener) => response.on('drain', listener),
    onClose: (listener) => response.once('close', listener),
    end({ retryMs } = {}) {
      if (retryMs !== undefined) write(`retry: ${retryMs}\n\n`)
      if (isOpen()) response.end()
    },
  }
}

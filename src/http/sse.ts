/** Writes server-sent events. Neither the hub nor a proxy buffers them. */
import type { ServerResponse } from 'node:http'
import type { Outlet } from '../endpoint/endpoint.ts'

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
/** Without a retry time, clients give up within a second or two, before a restarted hub is up. */
const retryMs = 3_000
/** A client that leaves more than this unread is disconnected. If it can resume, it loses nothing. */
const maxBacklogBytes = 4 * 1024 * 1024

export function createSseStreams(): SseStreams {
  const open = new Set<ServerResponse>()
  const timer = setInterval(() => {
    // An ended response stays in the set until its client has read everything.
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
  let isRetrySent = false
  /** The event id to resume from. The first one also has the retry time. */
  function idLines(eventId: string): string {
    const retry = isRetrySent ? '' : `retry: ${retryMs}\n`
    isRetrySent = true
    return `${retry}id: ${eventId}\n`
  }
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
      write(`event: message\n${eventId === undefined ? '' : idLines(eventId)}data: ${JSON.stringify(message)}\n\n`),
    prime: (eventId) => write(`${idLines(eventId)}data: \n\n`),
    event: (name, data) => write(`event: ${name}\ndata: ${data}\n\n`),
    onDrain: (listener) => response.on('drain', listener),
    onClose: (listener) => response.once('close', listener),
    retryAfter(wanted) {
      isRetrySent = true
      write(`retry: ${wanted}\n\n`)
    },
    end() {
      if (isOpen()) response.end()
    },
  }
}

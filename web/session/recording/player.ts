/**
 * Plays the recording of a terminal: draws the screen of a moment, then prints what followed, at its pace. It loads a
 * part at a time. Times are in milliseconds since 1970.
 */
import type { TerminalSize } from '../../../src/api/session.ts'
import type { CallTool } from '../../hub/hub.ts'
import { type Store, createStore } from '../../hub/store.ts'
import { bytesOf } from '../terminal/output.ts'
import type { View } from '../terminal/view.ts'

export interface PlayerState {
  readonly at: number
  readonly isPlaying: boolean
  /** Why it cannot be read. */
  readonly failure?: string
}

export interface Player extends Disposable {
  readonly state: Store<PlayerState>
  seek(at: number): void
  play(): void
  pause(): void
}

export interface PlayerOptions {
  readonly call: CallTool
  readonly session: string
  readonly view: Pick<View, 'draw' | 'print' | 'resize'>
  readonly from: number
  /** Everything that is recorded was played. */
  onEnd(): void
}

interface Part {
  readonly started_at: string
  readonly snapshot?: string
  readonly size?: TerminalSize
  readonly data: string
  readonly encoding: 'utf8' | 'base64'
  readonly offset: number
  readonly next_offset: number
  readonly times: readonly { readonly at_ms: number; readonly offset: number; readonly size?: TerminalSize }[]
}

const partBytes = 128 * 1024
const tickMs = 100
/** A longer pause of the program is shortened to this. */
const longestPauseMs = 2_000

export function createPlayer({ call, session, view, from, onEnd }: PlayerOptions): Player {
  const ended = new AbortController()
  const state = createStore<PlayerState>({ at: from, isPlaying: false })
  const update = (next: Partial<PlayerState>) => state.set({ ...state.get(), ...next })
  let startedAt: number | undefined
  /** The moment to go to next. A newer one replaces it. */
  let wanted: number | undefined = from
  let part: Part | undefined
  let wake = () => {}

  async function read(args: object): Promise<Part> {
    const answer = await call<Part>('read_recording', { session, ...args }, ended.signal)
    startedAt = Date.parse(answer.started_at)
    return answer
  }

  async function show(at: number): Promise<void> {
    if (startedAt === undefined) await read({ max_bytes: 0 })
    part = await read({ at_ms: Math.max(0, Math.round(at - startedAt!)), max_bytes: partBytes })
    if (part.snapshot !== undefined && part.size) await view.draw(part.snapshot, part.size)
  }

  /** Prints the part, each piece at its time. Stops when the person pauses or goes elsewhere. */
  async function playPart({ data, encoding, offset, next_offset: end, times }: Part): Promise<void> {
    const bytes = bytesOf(data, encoding)
    for (const [index, { at_ms: ms, offset: start, size }] of times.entries()) {
      const stop = Math.min(times[index + 1]?.offset ?? end, end)
      if (!(await waitUntil(startedAt! + ms))) {
        // Read the unprinted rest again.
        part = await read({ since: start, max_bytes: partBytes })
        return
      }
      if (size) view.resize(size)
      await view.print(bytes.subarray(start - offset, stop - offset))
    }
    part = await read({ since: end, max_bytes: partBytes })
  }

  /** False: it was stopped. */
  async function waitUntil(at: number): Promise<boolean> {
    const before = state.get().at
    const pauseMs = Math.min(at - before, longestPauseMs)
    for (let waited = 0; waited < pauseMs; waited += tickMs) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(tickMs, pauseMs - waited)))
      if (!state.get().isPlaying || wanted !== undefined || ended.signal.aborted) return false
      update({ at: Math.min(at, before + waited + tickMs) })
    }
    update({ at: Math.max(at, before) })
    return true
  }

  async function run(): Promise<void> {
    while (!ended.signal.aborted) {
      try {
        if (wanted !== undefined) {
          const at = wanted
          await show(at)
          if (wanted === at) wanted = undefined
        } else if (!state.get().isPlaying || !part) {
          await new Promise<void>((resolve) => (wake = resolve))
        } else if (part.data === '') {
          update({ isPlaying: false })
          onEnd()
        } else await playPart(part)
      } catch (error) {
        if (ended.signal.aborted) return
        wanted = undefined
        update({ isPlaying: false, failure: error instanceof Error ? error.message : String(error) })
      }
    }
  }
  void run()

  function change(next: Partial<PlayerState>): void {
    const { failure: _, ...rest } = state.get()
    state.set({ ...rest, ...next })
    wake()
  }
  return {
    state,
    seek(at) {
      wanted = at
      change({ at })
    },
    play: () => change({ isPlaying: true }),
    pause: () => change({ isPlaying: false }),
    [Symbol.dispose]() {
      ended.abort()
      wake()
    },
  }
}

/**
 * Reads one source of bytes of an upstream, such as a pipe or a response. It works for a few milliseconds at a time, and
 * pauses the source until it has caught up. Bytes that bring the answer to an open request cost nothing. All others
 * count against the upstream's share of the event loop.
 */
import { cpuMs } from '../base/cpu-ms.ts'
import type { LoopShare } from '../base/loop-share.ts'

/** Passes a message on. Returns whether it answers an open request. */
export type Step = () => boolean | Promise<boolean>

export interface IntakeOptions {
  readonly share: LoopShare
  readonly source: { pause(): void; resume(): void }
  /** Reads a chunk in small parts, because it may hold many messages. */
  readonly inPieces: boolean
  /** Splits the bytes into messages, and makes a step of each. */
  read(bytes: Buffer): void
  /** `read` threw. Nothing more is read. */
  failed?(error: unknown): void
}

/** After this long, other work gets a turn. */
const sliceMs = 4
/** This much is read without a look at the clock. The smaller piece may hold a thousand messages. */
const pieceBytes = { first: 4 * 1024, withinMessage: 16 * 1024 }
/** The time it takes to receive a chunk, which nothing here can measure. */
const receiveMs = 0.03
/** So much is charged before anybody looks at the balance. */
const ignoredMs = 0.5

/** A class, because each response has one, and most of them are read in one go. */
export class Intake {
  readonly #options: IntakeOptions
  #waiting: { readonly chunks: Buffer[]; readonly steps: Step[]; readonly ends: (() => void)[] } | undefined
  /** A step waits for a worker. */
  #isPending = false
  #isWorking = false
  #isPaused = false
  #isHurried = false
  #isStopped = false
  #rest: NodeJS.Timeout | undefined
  /** What the last work brought. */
  #brought: 'nothing' | 'an answer' | 'something else' = 'nothing'
  /** Charged since the last message. It may have been for an answer that was not complete yet. */
  #chargedMs = 0
  /** The last work was not for an answer. */
  #hasCost = false

  constructor(options: IntakeOptions) {
    this.#options = options
  }

  /** Takes the next bytes. */
  take(chunk: Buffer): void {
    if (this.#isStopped) return
    if (!this.#isWorking && !this.#isLong(chunk)) return this.#doAtOnce(() => this.#options.read(chunk), receiveMs)
    this.#backlog().chunks.push(chunk)
    if (!this.#isWorking) this.#work()
  }

  /** Runs a step after those before it: at once, unless one of them waits for a worker. For `read` and `end`. */
  step(step: Step): void {
    if (this.#isPending || (this.#waiting?.steps.length ?? 0) > 0) this.#backlog().steps.push(step)
    else this.#run(step)
  }

  /** Runs after all that came before. */
  end(then: () => void): void {
    if (this.#isStopped) return
    if (this.#isWorking) this.#backlog().ends.push(then)
    else this.#doAtOnce(then, 0)
  }

  /** The source has ended, so little is left. Reads it without rests. */
  hurry(): void {
    this.#isHurried = true
    if (!this.#rest) return
    clearTimeout(this.#rest)
    this.#work()
  }

  /** The source waits. */
  get isPaused(): boolean {
    return this.#isPaused
  }

  /** Forgets what is left. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#rest)
    this.#waiting = undefined
  }

  #backlog() {
    return (this.#waiting ??= { chunks: [], steps: [], ends: [] })
  }

  #isLong(chunk: Buffer): boolean {
    return this.#options.inPieces && chunk.length > pieceBytes.first
  }

  #doAtOnce(work: () => void, unmeasuredMs: number): void {
    this.#isWorking = true
    const begun = performance.now()
    this.#attempt(work)
    const brought = this.#brought
    this.#count(brought === 'an answer' ? 0 : performance.now() - begun + unmeasuredMs)
    const isCheap = brought === 'nothing' ? this.#chargedMs < ignoredMs : brought === 'an answer'
    if (isCheap && !this.#isPending && !this.#waiting) this.#isWorking = false
    else this.#work()
  }

  #work(): void {
    this.#isWorking = true
    this.#rest = undefined
    // The exact time takes time too, and is needed only for those who may have to wait.
    const clock = this.#hasCost ? cpuMs : wallMs
    const begun = clock()
    for (let at = begun; !this.#isStopped;) {
      if (this.#mustWait()) return this.#pause()
      const next = this.#next()
      if (!next) return this.#catchUp()
      this.#attempt(next)
      const now = clock()
      this.#count(now - at)
      at = now
      if (this.#isPending || now - begun < sliceMs) continue
      setImmediate(() => this.#work())
      return this.#pause()
    }
  }

  #mustWait(): boolean {
    if (this.#isPending) return true
    const restMs = this.#isHurried ? 0 : this.#options.share.restMs(wallMs())
    if (restMs > 0) this.#rest = setTimeout(() => this.#work(), restMs)
    return restMs > 0
  }

  #next(): (() => void) | undefined {
    const { chunks, steps, ends } = this.#waiting ?? {}
    const step = steps?.shift()
    if (step) return () => this.#run(step)
    const chunk = chunks?.shift()
    if (!chunks || !chunk) return ends?.shift()
    // If the last piece brought no message, this one is probably the middle of a long one.
    const most = this.#chargedMs > 0 ? pieceBytes.withinMessage : pieceBytes.first
    const hasMore = this.#options.inPieces && chunk.length > most
    if (hasMore) chunks.unshift(chunk.subarray(most))
    else this.#charge(receiveMs)
    return () => this.#options.read(hasMore ? chunk.subarray(0, most) : chunk)
  }

  #run(step: Step): void {
    const outcome = step()
    if (typeof outcome === 'boolean') return this.#note(outcome)
    const begun = performance.now()
    this.#isPending = true
    void outcome.then((isAnswer) => {
      this.#isPending = false
      this.#note(isAnswer)
      this.#count(performance.now() - begun)
      this.#work()
    })
  }

  #attempt(work: () => void): void {
    const { failed } = this.#options
    if (!failed) return work()
    try {
      work()
    } catch (error) {
      this.stop()
      failed(error)
    }
  }

  #note(isAnswer: boolean): void {
    if (isAnswer) this.#brought = 'an answer'
    else if (this.#brought === 'nothing') this.#brought = 'something else'
  }

  #count(ms: number): void {
    if (this.#brought === 'an answer') this.#charge(-this.#chargedMs)
    else this.#charge(ms)
    this.#hasCost = this.#brought !== 'an answer'
    if (this.#brought !== 'nothing') this.#chargedMs = 0
    this.#brought = 'nothing'
  }

  #charge(ms: number): void {
    if (ms === 0) return
    this.#options.share.charge(ms)
    this.#chargedMs += ms
  }

  #pause(): void {
    if (this.#isPaused) return
    this.#isPaused = true
    this.#options.source.pause()
  }

  #catchUp(): void {
    this.#waiting = undefined
    this.#isWorking = false
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#options.source.resume()
  }
}

function wallMs(): number {
  return performance.now()
}

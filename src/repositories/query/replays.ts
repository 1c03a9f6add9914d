/**
 * Questions that a client may ask again with the same `replayId`: it then gets the answer that is on its way or already
 * there, and no new work begins. They are in memory, so a restart of the hub forgets them.
 */
import { createHash } from 'node:crypto'
import { HubError } from '../../base/hub-error.ts'

export interface Replays<Answer> {
  /** Joins the question of this id, or asks it with `begin`. */
  ask(question: ReplayedQuestion, begin: () => Promise<Answer>): Replay<Answer>
}

export interface ReplayedQuestion {
  readonly token: string
  readonly replayId: string
  /** Everything that the answer depends on. */
  readonly content: readonly (string | undefined)[]
}

export interface Replay<Answer> {
  readonly answer: Promise<Answer>
  /** The question was asked before. */
  readonly isRepeated: boolean
}

interface Kept<Answer> {
  readonly digest: string
  readonly answer: Promise<Answer>
  /** `undefined`: it is not there yet. */
  answeredAt: number | undefined
}

export interface ReplaysOptions {
  readonly now?: () => number
}

/** How long an answer is kept. Clients that retry do so within minutes. */
const keptMs = 15 * 60_000
/** Because of the limit of questions per minute, only a client that never repeats a question exceeds this. */
const mostPerToken = 50
const mostInAll = 500

export function createReplays<Answer>({ now = () => performance.now() }: ReplaysOptions = {}): Replays<Answer> {
  /** By token and id, oldest first. */
  const kept = new Map<string, Kept<Answer>>()

  function forgetOld(): void {
    const before = now() - keptMs
    for (const [key, { answeredAt }] of kept) if (answeredAt !== undefined && answeredAt < before) kept.delete(key)
  }

  /** A question that is still being answered is not forgotten: that would double the work. */
  function makeRoom(prefix: string): void {
    forgetOld()
    const answered = () => [...kept].filter(([, { answeredAt }]) => answeredAt !== undefined).map(([key]) => key)
    const own = [...kept.keys()].filter((key) => key.startsWith(prefix))
    const oldest = own.length >= mostPerToken ? answered().find((key) => key.startsWith(prefix)) : undefined
    const drop = oldest ?? (kept.size >= mostInAll ? answered()[0] : undefined)
    if (drop !== undefined) kept.delete(drop)
  }

  return {
    ask({ token, replayId, content }, begin) {
      const prefix = `${token} `
      const key = `${prefix}${replayId}`
      const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex')
      forgetOld()
      const known = kept.get(key)
      if (known) {
        if (known.digest === digest) return { answer: known.answer, isRepeated: true }
        throw new HubError(
          'conflict',
          `"replayId": "${replayId}" belongs to another question of this token. Use a new one for a new question.`,
        )
      }
      makeRoom(prefix)
      const entry: Kept<Answer> = { digest, answer: begin(), answeredAt: undefined }
      kept.set(key, entry)
      entry.answer.then(
        () => (entry.answeredAt = now()),
        // A failure is not kept, so the same question is tried again.
        () => kept.delete(key),
      )
      return { answer: entry.answer, isRepeated: false }
    },
  }
}

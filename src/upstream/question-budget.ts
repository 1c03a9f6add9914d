/** Bounds the memory that open questions of upstreams hold: of one upstream, and of all upstreams together. */
import { HubError } from '../base/hub-error.ts'
import { isRecord } from '../mcp/mcp.ts'

export interface QuestionBudget {
  ofUpstream(): UpstreamQuestions
}

export interface UpstreamQuestions {
  /** Counts a question until it is disposed of. Throws if it is too large, or if too much is open. */
  take(question: object): Disposable
}

const mib = 1024 * 1024
const mostPerQuestion = 4 * mib
const mostPerUpstream = 8 * mib
const mostPerHub = 64 * mib

export function createQuestionBudget(): QuestionBudget {
  let heldInAll = 0
  return {
    ofUpstream() {
      let held = 0
      return {
        take(question) {
          const size = heldBy(question, mostPerQuestion)
          if (size > mostPerQuestion) throw new HubError('too-large', `A question may hold ${inMib(mostPerQuestion)}.`)
          if (held + size > mostPerUpstream) throw tooMuch('this upstream', mostPerUpstream)
          if (heldInAll + size > mostPerHub) throw tooMuch('all upstreams', mostPerHub)
          held += size
          heldInAll += size
          return {
            [Symbol.dispose]() {
              held -= size
              heldInAll -= size
            },
          }
        },
      }
    },
  }
}

function tooMuch(whose: string, most: number): HubError {
  return new HubError(
    'busy',
    `The open questions of ${whose} may hold ${inMib(most)}. Ask again when some are answered.`,
  )
}

function inMib(bytes: number): string {
  return `${bytes / mib} MiB of memory`
}

/** In bytes, as V8 holds it at least. */
const perValue = 16
const perObject = 56

/** Estimates the memory that a parsed value holds. Small objects hold far more than their JSON. Stops above `most`. */
export function heldBy(value: unknown, most = Number.POSITIVE_INFINITY): number {
  let held = 0
  const left: unknown[] = [value]
  while (left.length > 0 && held <= most) {
    const one = left.pop()
    if (typeof one === 'string') held += perValue + one.length
    else if (Array.isArray(one)) {
      held += perObject
      held += perValue * one.length
      if (held <= most) for (const item of one) left.push(item)
    } else if (isRecord(one)) {
      held += perObject
      for (const name in one) {
        held += perValue + name.length
        left.push(one[name])
      }
    } else held += perValue
  }
  return held
}

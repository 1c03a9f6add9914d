/** Bounds the memory that open questions of upstreams hold: of one upstream, and of all upstreams together. */
import { HubError } from '../base/hub-error.ts'
import { heldBy } from '../base/held-memory.ts'

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

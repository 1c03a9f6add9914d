/** One call of the answering model. Thoughts are passed on as they come, and text as soon as it is checked. */
import type { AnswerPart, ModelCall, StreamedPart } from '../models/models.ts'
import { createCheckedLines } from './checked-lines.ts'
import type { CheckedCitations } from './citations.ts'
import { createCitationChecker } from './citations.ts'
import type { AnswerFrame, IndexedContent } from './repository.ts'

export interface AnswerStep {
  take(part: StreamedPart): void
  /** The step has searched: its text is a thought, not an answer. */
  asThinking(parts: readonly AnswerPart[]): Said
  /** The step has answered. `instead` is the answer if it said nothing. */
  asAnswer(parts: readonly AnswerPart[], instead: string): Promise<Said & CheckedCitations>
}

interface Said {
  readonly text: string
  readonly thinking: string
}

/** A shorter text may only announce a search. It is held back until the end of the step shows what it is. */
const announcementCharacters = 300

export function createAnswerStep(content: IndexedContent, onFrame: (frame: AnswerFrame) => void): AnswerStep {
  const checker = createCitationChecker(content)
  const lines = createCheckedLines(
    (text) => checker.check(text),
    (text) => onFrame({ type: 'final', text }),
  )
  const texts = new Map<number, string>()
  const thoughts = new Map<number, string>()

  return {
    take(part) {
      const said = part.is === 'growing' ? part : part.part.type === 'call' ? undefined : part.part
      if (!said) return
      if (said.type === 'thinking') {
        const before = thoughts.get(part.index) ?? ''
        thoughts.set(part.index, said.text)
        const end = part.is === 'whole' && !said.text.endsWith('\n') ? '\n' : ''
        const text = `${said.text.slice(before.length)}${end}`
        if (text !== '') onFrame({ type: 'thinking', text })
        return
      }
      texts.set(part.index, said.text)
      const text = [...texts.values()].join('\n')
      if (text.length > announcementCharacters) lines.grow(text)
    },
    asThinking(parts) {
      const text = textOf(parts, 'text')
      if (text !== '' && text.length <= announcementCharacters) onFrame({ type: 'thinking', text: `${text}\n` })
      return { text, thinking: textOf(parts, 'thinking') }
    },
    async asAnswer(parts, instead) {
      const text = textOf(parts, 'text')
      const checked = await lines.finish(text.trim() === '' ? instead : text)
      return { text: checked, thinking: textOf(parts, 'thinking'), ...checker.result() }
    },
  }
}

export function callsOf(parts: readonly AnswerPart[]): readonly ModelCall[] {
  return parts.filter((part) => part.type === 'call')
}

function textOf(parts: readonly AnswerPart[], type: 'text' | 'thinking'): string {
  return parts.flatMap((part) => (part.type === type && part.text !== '' ? [part.text] : [])).join('\n')
}

/** Asks the hub, while the person types, whether the text is a policy. */
import { useEffect, useMemo } from 'react'
import type { EditorNote, LineNumber } from '../editor/editor-props.ts'
import { useHub } from '../hub/hub-context.tsx'
import { useStateFor } from './use-state-for.ts'

export interface Checked {
  readonly notes: readonly EditorNote[]
  readonly numbers: readonly LineNumber[]
  /** Why it cannot be saved. */
  readonly fault: Fault | undefined
  /** The text has not been checked yet. */
  readonly isBehind: boolean
}

interface Fault {
  readonly line: number
  readonly message: string
}

interface Answer {
  readonly fault?: Fault
  readonly rules: readonly { readonly number: number; readonly line: number }[]
  readonly unknown_tools: readonly { readonly line: number; readonly name: string; readonly did_you_mean?: string }[]
}

const restMs = 250
const none: readonly never[] = []

export function useCheck(owner: string, text: string): Checked {
  const { call } = useHub()
  const [answer, setAnswer] = useStateFor<(Answer & { readonly text: string }) | undefined>(owner, undefined)
  const [numbers, setNumbers] = useStateFor<readonly LineNumber[]>(owner, none)
  useEffect(() => {
    const stop = new AbortController()
    const timer = setTimeout(() => {
      call<Answer>('check_policy', { source: text }, stop.signal).then(
        (next) => {
          setAnswer({ ...next, text })
          // Rules that cannot be read keep the numbers they had.
          if (!next.fault) setNumbers(next.rules.map(({ number, line }) => ({ number, line, title: `rule ${number}` })))
        },
        // A refused check says nothing about the text. It is checked again with the next change, and when it is saved.
        () => {},
      )
    }, restMs)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [call, owner, text])
  const notes = useMemo(() => notesOf(answer), [answer])
  const isBehind = answer?.text !== text
  return { notes, numbers, fault: isBehind ? undefined : answer?.fault, isBehind }
}

function notesOf(answer: Answer | undefined): readonly EditorNote[] {
  if (!answer) return []
  const { fault, unknown_tools: unknown } = answer
  if (fault) return [{ is: 'error', line: fault.line, message: fault.message }]
  return unknown.map(({ line, name, did_you_mean: suggestion }) => ({
    is: 'warning',
    line,
    text: name,
    message: 'No tool has this name.',
    ...(suggestion !== undefined && { suggestion }),
  }))
}

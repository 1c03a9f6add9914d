/** The rules of one session. Those of the hub and the template apply as well. */
import { useEffect, useState } from 'react'
import { Editor, type EditorNote } from '../../editor/editor.tsx'
import { useHub } from '../../hub/hub-context.tsx'

export interface PolicyTabProps {
  readonly session: string
  readonly source: string
  readonly saved: string
  onChange(source: string): void
}

const settleMs = 300
const effectWords = ['allow', 'ask', 'deny', 'abort']

export function PolicyTab({ session, source, saved, onChange }: PolicyTabProps) {
  const notes = useNotes(session, source)
  return (
    <>
      <p className="s12 t3 cfg-note">
        Added to the rules of the hub and the template. The strictest match decides, whatever its place.
      </p>
      <div className="cfg-policy">
        <Editor
          language="yaml"
          label="Policy of this session"
          keywords={effectWords}
          value={source}
          saved={saved}
          notes={notes}
          onChange={onChange}
        />
      </div>
      <p className="s12 t3 cfg-note">
        {source.trim() === '' ? 'Such as: rules: [{ ask: "own_shell" }]' : 'It holds from the next call on.'}
      </p>
    </>
  )
}

/** Why the hub would refuse the policy, below its line. Replaying no calls only reads it. */
function useNotes(session: string, source: string): readonly EditorNote[] {
  const { call } = useHub()
  const [notes, setNotes] = useState<readonly EditorNote[]>([])
  useEffect(() => {
    const ended = new AbortController()
    const timer = setTimeout(() => {
      const args = { source, scope: 'session', target: session, since: new Date().toISOString(), limit: 1 }
      call('simulate_policy', args, ended.signal).then(
        () => setNotes([]),
        (error: Error) => ended.signal.aborted || setNotes([noteOf(error.message)]),
      )
    }, settleMs)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [call, session, source])
  return notes
}

function noteOf(message: string): EditorNote {
  const [, line, fault] = /line (\d+): (.*)$/s.exec(message) ?? []
  return { is: 'error', line: Number(line ?? 1), message: fault ?? message }
}

/** State of one policy. It begins again when another policy is shown. */
import { useState } from 'react'

export function useStateFor<T>(owner: string, first: T): readonly [T, (next: T) => void] {
  const [kept, setKept] = useState({ owner, value: first })
  return [kept.owner === owner ? kept.value : first, (value) => setKept({ owner, value })]
}

/** The effect of a rule: its mark and its word. */
import type { Effect } from '../../src/api/policy.ts'
import { DecisionMark } from '../parts/marks.tsx'
import { effectWords } from './policy-data.ts'

export function EffectWord({ effect }: { readonly effect: Effect }) {
  return (
    <span className="eff">
      <DecisionMark name={effect} size={12} />
      {effectWords[effect]}
    </span>
  )
}

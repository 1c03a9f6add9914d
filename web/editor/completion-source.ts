/** Offers what the owner of the editor says can be written at the cursor. */
import type { CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete'
import type { Completions } from './editor.tsx'

export function completionSource(complete: (before: string) => Completions | undefined): CompletionSource {
  return ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    const found = complete(state.sliceDoc(0, pos))
    if (!found || found.choices.length === 0) return null
    // A list that opens by itself after each space would be in the way.
    if (found.replaced === 0 && !explicit) return null
    return {
      from: pos - found.replaced,
      options: found.choices.map(({ text, detail }) => ({ label: text, ...(detail !== undefined && { detail }) })),
      validFor: /^[\w*?-]*$/,
    }
  }
}

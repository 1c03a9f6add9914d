import { showFailure, showToast } from '../app/toasts.tsx'
import { Icon } from '../parts/icons.tsx'

/** Copies a text. Without a secure connection browsers do not allow it, and the person selects the text. */
export function CopyButton({ text }: { readonly text: string }) {
  async function copy(): Promise<void> {
    if (!navigator.clipboard) throw new Error('This browser copies only on pages over https. Select the text instead.')
    await navigator.clipboard.writeText(text)
    showToast('allow', 'Copied.')
  }
  return (
    <button className="btn" onClick={() => void copy().catch(showFailure)}>
      <Icon name="copy" size={14} />
      Copy
    </button>
  )
}

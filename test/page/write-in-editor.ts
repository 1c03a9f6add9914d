import type { Locator } from 'playwright-core'

/**
 * Sets the whole text of an editor, with the keys that a person would use. `fill` selects the text behind the editor's
 * back, so a note that arrives at that moment makes the editor restore its own selection.
 */
export async function writeInEditor(editor: Locator, text: string): Promise<void> {
  await editor.focus()
  await editor.page().keyboard.press('Control+a')
  await editor.page().keyboard.insertText(text)
}

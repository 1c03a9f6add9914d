/** The dialog in which Gemini CLI asks whether it may use a tool. */
import { relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Terminal } from '../../terminal/terminal.ts'
import { findMenu } from '../../terminal/terminal.ts'
import type { GeminiCall } from './own-tool.ts'
import { showsText } from './shown-text.ts'

export interface Dialog {
  /** The keys that answer it. They do not depend on the choice that is marked. */
  readonly allowKey: string
  readonly denyKey: string
}

/**
 * The dialog on the screen, if it is about exactly this call. A process of the agent can send the same messages as a
 * hook, so the screen must show the judged call. A dialog that is too long, and therefore cut, is left to the person.
 */
export function dialogFor(terminal: Terminal, call: GeminiCall): Dialog | undefined {
  const lines = terminal.screen.text().split('\n')
  const box = lines.slice(lines.findLastIndex((line) => line.startsWith('╭')))
  return isAbout(box, call) ? dialogIn(lines) : undefined
}

/** Whether Gemini CLI asks about any tool. */
export function showsDialog(terminal: Terminal): boolean {
  return dialogIn(terminal.screen.text().split('\n')) !== undefined
}

function dialogIn(lines: readonly string[]): Dialog | undefined {
  const menu = findMenu(lines)
  const allow = menu?.choices.find(({ label }) => /^Allow once\b/.test(label))?.number
  const deny = menu?.choices.find(({ label }) => /^No\b/.test(label))?.number
  return allow === undefined || deny === undefined ? undefined : { allowKey: String(allow), denyKey: String(deny) }
}

function isAbout(box: readonly string[], { name, input, cwd }: GeminiCall): boolean {
  const text = (key: string) => (typeof input[key] === 'string' ? input[key] : '')
  const whole = squeezed(box.join('\n'))
  switch (name) {
    case 'run_shell_command': {
      const rows = box.flatMap((line) => /^│ │ (.*) │ │\s*$/.exec(line)?.[1] ?? [])
      return whole.includes('?Shell') && showsText(rows, text('command'))
    }
    // Compares the whole path, since that of another file may begin in the same way.
    case 'write_file':
      return titleOf(box) === squeezed(`? WriteFile Writing to ${relative(cwd, resolve(cwd, text('file_path')))}`)
    case 'replace':
      return titleOf(box).startsWith(squeezed(`? Edit ${relative(cwd, resolve(cwd, text('file_path')))}:`))
    case 'web_fetch': {
      const asked = text('url') || text('prompt')
      const words = new Set(box.join(' ').split(/[\s│]+/))
      const urls = asked.split(/\s+/).filter((word) => word.includes('://'))
      const ends = ['URLs to fetch:', 'Do you want to proceed?'].map((end) => squeezed(asked + end))
      // Compares whole words, since one address may begin like another.
      return (
        whole.includes('WebFetch') && urls.every((url) => words.has(url)) && ends.some((end) => whole.includes(end))
      )
    }
    default: {
      // Takes the last match, since the text above the question is the tool's own.
      const [, tool, server] = [...whole.matchAll(/MCPtool"([^"]+)"fromserver"([^"]+)"/g)].at(-1) ?? []
      return server !== undefined && name === `mcp_${server}_${tool}`
    }
  }
}

/** The text above the frame with the change. It may have several lines. */
function titleOf([, ...lines]: readonly string[]): string {
  const end = lines.findIndex((line) => line.startsWith('│ ╭') || squeezed(line) === '')
  return squeezed(lines.slice(0, end < 0 ? 0 : end).join('\n'))
}

/** Frames and line breaks depend on the width of the terminal. */
function squeezed(text: string): string {
  return text.replaceAll(/[\s│╭╮╰╯─]/g, '')
}

/** The dialog ignores keys for a moment after it appears. On a busy machine it may take seconds to react to a key. */
const againAfterMs = 5_000
const lookEveryMs = 100

export interface Typing {
  readonly terminal: Terminal
  readonly call: GeminiCall
  readonly decision: 'allow' | 'deny'
  /** False: the agent has gone on. */
  isOpen(): boolean
}

/** Answers the dialog, but only while it is about this call. Returns whether a key was typed. */
export async function answerDialog({ terminal, call, decision, isOpen }: Typing): Promise<boolean> {
  let typedAt: number | undefined
  while (isOpen() && terminal.status.is === 'running') {
    const dialog = dialogFor(terminal, call)
    if (!dialog) return typedAt !== undefined
    if (typedAt === undefined || performance.now() - typedAt > againAfterMs) {
      terminal.write(Buffer.from(decision === 'allow' ? dialog.allowKey : dialog.denyKey))
      typedAt = performance.now()
    }
    await sleep(lookEveryMs)
  }
  return typedAt !== undefined
}

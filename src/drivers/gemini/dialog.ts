/** The dialog in which Gemini CLI asks whether it may use a tool. */
import { relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Terminal } from '../../terminal/terminal.ts'
import { findMenu } from '../../terminal/terminal.ts'
import type { GeminiCall } from './own-tool.ts'

export interface Dialog {
  /** The keys that answer it. They do not depend on the choice that is marked. */
  readonly allowKey: string
  readonly denyKey: string
}

/**
 * The dialog on the screen, if it is about this call and no other. A process of the agent can send what a hook sends, so
 * the screen must show what was judged. A dialog that is cut, because it is too long, is left to the person.
 */
export function dialogFor(terminal: Terminal, call: GeminiCall): Dialog | undefined {
  const lines = terminal.screen.text().split('\n')
  const menu = findMenu(lines)
  const allow = menu?.choices.find(({ label }) => /^Allow once\b/.test(label))?.number
  const deny = menu?.choices.find(({ label }) => /^No\b/.test(label))?.number
  if (allow === undefined || deny === undefined) return undefined
  const box = lines.slice(lines.findLastIndex((line) => line.startsWith('╭')))
  return isAbout(box, call) ? { allowKey: String(allow), denyKey: String(deny) } : undefined
}

function isAbout(box: readonly string[], { name, input, cwd }: GeminiCall): boolean {
  const text = (key: string) => (typeof input[key] === 'string' ? input[key] : '')
  const whole = squeezed(box.join('\n'))
  switch (name) {
    case 'run_shell_command': {
      const shown = box.filter((line) => line.startsWith('│ │')).join('\n')
      return whole.includes('?Shell') && squeezed(shown) === squeezed(text('command'))
    }
    // The whole path: that of another file may begin in the same way.
    case 'write_file':
      return titleOf(box) === squeezed(`? WriteFile Writing to ${relative(cwd, resolve(cwd, text('file_path')))}`)
    case 'replace':
      return titleOf(box).startsWith(squeezed(`? Edit ${relative(cwd, resolve(cwd, text('file_path')))}:`))
    case 'web_fetch': {
      const asked = squeezed(text('url') || text('prompt'))
      return whole.includes('WebFetch') && asked !== '' && whole.includes(asked)
    }
    default: {
      // The last one: what stands above the question is the tool's own text.
      const [, tool, server] = [...whole.matchAll(/MCPtool"([^"]+)"fromserver"([^"]+)"/g)].at(-1) ?? []
      return server !== undefined && name === `mcp_${server}_${tool}`
    }
  }
}

/** What stands above the frame with the change. It may have several lines. */
function titleOf([, ...lines]: readonly string[]): string {
  const end = lines.findIndex((line) => line.startsWith('│ ╭') || squeezed(line) === '')
  return squeezed(lines.slice(0, end < 0 ? 0 : end).join('\n'))
}

/** Frames and line breaks depend on the width of the terminal. */
function squeezed(text: string): string {
  return text.replaceAll(/[\s│╭╮╰╯─]/g, '')
}

/** The dialog ignores keys for a moment after it appears. */
const againAfterMs = 1_000
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

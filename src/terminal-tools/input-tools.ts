/** send_text, send_keys, resize, claim_input */
import { z } from 'zod'
import { sizeSchema } from '../api/session.ts'
import { HubError } from '../base/hub-error.ts'
import { encodeKeys, encodePaste } from '../terminal/terminal.ts'
import type { ToolTarget } from './tool-target.ts'
import type { TerminalTool } from './terminal-tool.ts'
import { defineTerminalTool, writing } from './terminal-tool.ts'
import type { Viewers } from './viewers.ts'
import { waitUntil } from '../base/wait-until.ts'

export const viewerSchema = z.string().min(1).max(64)
const viewer = viewerSchema
  .optional()
  .describe('Who calls: refused while another viewer types. Without it, never refused.')

const offset = z.number().describe('The earliest offset of its output: a "since" for wait_for.')

/** How long a holder may take to change the size. */
const resizeWithinMs = 5_000

export function createInputTools(viewers: Viewers): readonly TerminalTool[] {
  /** Refuses to type while another viewer types. The first viewer that types claims the input. */
  function type({ id, terminal }: ToolTarget, bytes: Buffer, name: string | undefined): { offset: number } {
    if (name !== undefined) {
      viewers.assertMayWrite(id, name)
      viewers.claim(id, name, { takeOver: false })
    }
    const before = terminal.offset
    terminal.write(bytes)
    return { offset: before }
  }

  const sendText = defineTerminalTool({
    name: 'send_text',
    description: 'Types text unchanged; end it with "\\r" for Enter.',
    input: {
      text: z.string(),
      paste: z.boolean().default(false).describe('Send it as a paste, so that the program does not read it as keys.'),
    },
    peopleInput: { viewer },
    output: z.object({ success: z.boolean(), bytes_written: z.int(), offset }),
    annotations: writing({ destructive: true, idempotent: false }),
    unrecorded: ['text'],
    async run(target, { text, paste, viewer: name }) {
      const bytes = paste ? encodePaste(text, target.terminal.screen.modes) : Buffer.from(text)
      return { success: true, bytes_written: bytes.length, ...type(target, bytes, name) }
    },
  })

  const sendKeys = defineTerminalTool({
    name: 'send_keys',
    description:
      'Presses keys, separated by blanks: Enter, Tab, Escape, Backspace, Space, Up, Down, Left, Right, Home, End, PageUp, PageDown, Insert, Delete, F1 to F24, single characters; prefixes Ctrl+, Alt+, Shift+. Example: "Ctrl+c Enter".',
    input: { keys: z.string() },
    peopleInput: { viewer },
    output: z.object({ success: z.boolean(), keys_sent: z.int(), offset }),
    annotations: writing({ destructive: true, idempotent: false }),
    unrecorded: ['keys'],
    async run(target, { keys, viewer: name }) {
      const { bytes, count } = encodeKeys(keys, target.terminal.screen.modes)
      return { success: true, keys_sent: count, ...type(target, bytes, name) }
    },
  })

  const resize = defineTerminalTool({
    name: 'resize',
    description: 'Changes the size of the terminal, in characters.',
    input: sizeSchema.shape,
    peopleInput: { viewer },
    output: z.object({ success: z.boolean(), cols: z.int(), rows: z.int() }),
    annotations: writing({ destructive: false, idempotent: true }),
    async run({ id, terminal }, { cols, rows, viewer: name }, { signal }) {
      if (name !== undefined) viewers.assertMayWrite(id, name)
      terminal.resize({ cols, rows })
      const isDone = await waitUntil({
        sources: [(listener) => terminal.onChange(listener)],
        look: () => (terminal.size.cols === cols && terminal.size.rows === rows) || undefined,
        timeoutMs: resizeWithinMs,
        signal,
      })
      if (isDone) return { success: true, cols, rows }
      throw new HubError(
        'unavailable',
        `The terminal still has ${terminal.size.cols} columns and ${terminal.size.rows} rows. Try again.`,
      )
    },
  })

  const claimInput = defineTerminalTool({
    name: 'claim_input',
    description:
      'Claims the input for this viewer. The others read along; take_over takes it from the current one, give_back frees it.',
    input: { viewer: viewerSchema, take_over: z.boolean().default(false), give_back: z.boolean().default(false) },
    output: z.object({ granted: z.boolean(), writer: z.string().optional().describe('Absent if the input is free.') }),
    annotations: writing({ destructive: false, idempotent: true }),
    async run({ id }, { viewer: name, take_over: takeOver, give_back: isGivenBack }) {
      if (!isGivenBack) return viewers.claim(id, name, { takeOver })
      viewers.giveBack(id, name)
      const writer = viewers.writerOf(id)
      return { granted: false, ...(writer !== undefined && { writer }) }
    },
  })

  return [sendText, sendKeys, resize, claimInput]
}

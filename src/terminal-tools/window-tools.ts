/**
 * get_window_info, set_window_title, get_config, set_config. A terminal has no real window: its size is that of a
 * screenshot in pixels, and it is visible while it has viewers.
 */
import { z } from 'zod'
import { HubError } from '../base/hub-error.ts'
import { pictureSize } from '../terminal/terminal.ts'
import { clamp } from './clamp.ts'
import type { ToolTarget } from './tool-target.ts'
import { titleOf } from './tool-target.ts'
import type { TerminalTool } from './terminal-tool.ts'
import { defineTerminalTool, readOnly, writing } from './terminal-tool.ts'
import type { Viewers } from './viewers.ts'

const backend = 'signalbox'
const sections = ['terminal', 'window', 'backend'] as const
const settableKeys = ['window.title', 'window.opacity'] as const
const titleSchema = z.string().max(1_000).describe('Empty: the title that the program sets.')

const terminalSection = z.object({ cols: z.int(), rows: z.int(), title: z.string() })
const windowSection = z.object({
  width: z.int(),
  height: z.int(),
  title: z.string(),
  visible: z.boolean(),
  opacity: z.number(),
})
const backendSection = z.object({ type: z.string() })

export function createWindowTools(viewers: Viewers): readonly TerminalTool[] {
  function windowOf(target: ToolTarget): z.output<typeof windowSection> {
    return {
      ...pictureSize(target.terminal.size),
      title: titleOf(target),
      visible: viewers.isWatched(target.id),
      opacity: target.settings.opacity,
    }
  }

  const getWindowInfo = defineTerminalTool({
    name: 'get_window_info',
    description: 'The size of a screenshot, the title, and whether a viewer is open (visible).',
    input: {},
    output: windowSection.extend({ backend: z.string() }),
    annotations: readOnly,
    run: async (target) => ({ ...windowOf(target), backend }),
  })

  const setWindowTitle = defineTerminalTool({
    name: 'set_window_title',
    description: 'Sets the title that people see.',
    input: { title: titleSchema },
    output: z.object({ success: z.boolean(), title: z.string() }),
    annotations: writing({ destructive: false, idempotent: true }),
    async run(target, { title }) {
      await saveTitle(target, title)
      return { success: true, title }
    },
  })

  const getConfig = defineTerminalTool({
    name: 'get_config',
    description: 'Settings of the terminal: one section, or all.',
    input: { section: z.string().optional().describe(sections.join(', ')) },
    output: z.object({
      ...terminalSection.partial().shape,
      ...windowSection.partial().shape,
      ...backendSection.partial().shape,
      terminal: terminalSection.optional(),
      window: windowSection.optional(),
      backend: backendSection.optional(),
    }),
    annotations: readOnly,
    async run(target, { section }) {
      const { cols, rows } = target.terminal.size
      const all = {
        terminal: { cols, rows, title: target.terminal.screen.title },
        window: windowOf(target),
        backend: { type: backend },
      }
      if (section === undefined) return all
      if (isOneOf(sections, section)) return all[section]
      throw new HubError(
        'invalid',
        `"section": there is no section "${section.slice(0, 40)}". The sections are ${sections.join(', ')}.`,
      )
    },
  })

  const setConfig = defineTerminalTool({
    name: 'set_config',
    description: `Changes a setting: ${settableKeys.join(' or ')} (0 to 1).`,
    input: { key: z.string(), value: z.string().max(1_000) },
    output: z.object({ success: z.boolean(), key: z.string() }),
    annotations: writing({ destructive: true, idempotent: true }),
    async run(target, { key, value }) {
      if (!isOneOf(settableKeys, key)) {
        const known = settableKeys.join(' and ')
        throw new HubError('invalid', `"key": "${key.slice(0, 40)}" cannot be set. You can set ${known}.`)
      }
      switch (key) {
        case 'window.title':
          await saveTitle(target, value)
          break
        case 'window.opacity':
          await saveOpacity(target, toOpacity(value))
          break
      }
      return { success: true, key }
    },
  })

  return [getWindowInfo, setWindowTitle, getConfig, setConfig]
}

async function saveOpacity(target: ToolTarget, opacity: number): Promise<void> {
  await target.changeSettings((now) => ({ ...now, opacity }))
}

async function saveTitle(target: ToolTarget, title: string): Promise<void> {
  await target.changeSettings((now) => ({ ...now, title: title === '' ? undefined : title }))
}

function toOpacity(text: string): number {
  const opacity = text.trim() === '' ? Number.NaN : Number(text)
  if (!Number.isNaN(opacity)) return clamp(opacity, 0, 1)
  throw new HubError('invalid', `"value": an opacity is a number from 0 to 1, such as "0.9".`)
}

function isOneOf<Name extends string>(names: readonly Name[], name: string): name is Name {
  return (names as readonly string[]).includes(name)
}

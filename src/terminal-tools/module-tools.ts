/** list_modules, toggle_module */
import { z } from 'zod'
import type { TerminalModule } from '../api/terminal-tools.ts'
import { terminalModules } from '../api/terminal-tools.ts'
import { HubError } from '../base/hub-error.ts'
import { defineTerminalTool, readOnly, writing } from './terminal-tool.ts'

const descriptions: Readonly<Record<TerminalModule, string>> = {
  scrollback: 'Reads and searches lines that have scrolled off the screen.',
  recording: 'Exports the recording. The journal behind it is always kept, so that a session survives the hub.',
  urls: 'Finds URLs on the screen.',
  idle: 'Says whether the shell is idle.',
}

const mcpModule = { name: 'mcp', description: 'These tools. It cannot be toggled.', active: true }

export const listModules = defineTerminalTool({
  name: 'list_modules',
  description: 'The parts of this terminal, and which are on.',
  input: {},
  output: z.object({
    modules: z.array(z.object({ name: z.string(), description: z.string(), active: z.boolean() })),
  }),
  annotations: readOnly,
  async run({ settings }) {
    const modules = terminalModules.map((name) => ({
      name,
      description: descriptions[name],
      active: settings.modules[name],
    }))
    return { modules: [...modules, mcpModule] }
  },
})

export const toggleModule = defineTerminalTool({
  name: 'toggle_module',
  description: 'Switches a part of this terminal on or off: scrollback, recording (its export), urls, idle.',
  input: { name: z.string(), enabled: z.boolean() },
  output: z.object({ name: z.string(), active: z.boolean() }),
  annotations: writing({ destructive: false, idempotent: true }),
  async run(target, { name, enabled }) {
    if (!isModule(name)) throw new HubError('invalid', whyNot(name))
    if (target.settings.modules[name] !== enabled) {
      await target.changeSettings((now) => ({ ...now, modules: { ...now.modules, [name]: enabled } }))
    }
    return { name, active: enabled }
  },
})

function isModule(name: string): name is TerminalModule {
  return (terminalModules as readonly string[]).includes(name)
}

function whyNot(name: string): string {
  const known = terminalModules.join(', ')
  return name === mcpModule.name
    ? `"name": the module "mcp" provides these tools and cannot be toggled. The others are ${known}.`
    : `"name": there is no module "${name.slice(0, 40)}". The modules are ${known}.`
}

/** Every command there is. Each is loaded when it is called, so that the others cost nothing. */
import type { Command } from './command.ts'

export interface CommandEntry {
  readonly name: string
  readonly summary: string
  load(): Promise<Command>
}

export const commands: readonly CommandEntry[] = [
  { name: 'up', summary: 'start the hub', load: async () => (await import('./up.ts')).command },
  { name: 'status', summary: 'what the hub is doing', load: async () => (await import('./status.ts')).command },
  {
    name: 'doctor',
    summary: 'check this installation, and say how to mend what is wrong',
    load: async () => (await import('./doctor/doctor.ts')).command,
  },
  {
    name: 'probe',
    summary: 'prove that clients of every MCP revision can talk to the hub',
    load: async () => (await import('./probe.ts')).command,
  },
  { name: 'call', summary: 'call one of the hub’s tools', load: async () => (await import('./call.ts')).command },
  {
    name: 'config',
    summary: 'every setting, its value and where it came from',
    load: async () => (await import('./config.ts')).command,
  },
  {
    name: 'token issue',
    summary: 'make a token and print it, once',
    load: async () => (await import('./token-issue.ts')).command,
  },
  {
    name: 'token list',
    summary: 'the tokens and when they were last used',
    load: async () => (await import('./token-list.ts')).command,
  },
  {
    name: 'token revoke',
    summary: 'make a token worthless',
    load: async () => (await import('./token-revoke.ts')).command,
  },
  {
    name: 'service install',
    summary: 'write a systemd unit that keeps the hub running',
    load: async () => (await import('./service-install.ts')).command,
  },
  {
    name: 'service uninstall',
    summary: 'remove that unit',
    load: async () => (await import('./service-uninstall.ts')).command,
  },
  {
    name: 'service status',
    summary: 'whether the unit is installed and right',
    load: async () => (await import('./service-status.ts')).command,
  },
  {
    name: 'help',
    summary: 'help on a command, or on exit-codes',
    load: async () => (await import('./help.ts')).command,
  },
]

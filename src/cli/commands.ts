/** Every command there is. Each is loaded when it is called, so that the others cost nothing. */
import type { Command } from './command.ts'

export interface CommandEntry {
  readonly name: string
  readonly summary: string
  load(): Promise<Command>
}

export const commands: readonly CommandEntry[] = [
  { name: 'up', summary: 'start the hub', load: async () => (await import('./up.ts')).command },
  {
    name: 'new',
    summary: 'start an agent or a command in a terminal of its own',
    load: async () => (await import('./new.ts')).command,
  },
  { name: 'ls', summary: 'the sessions, and what each is doing', load: async () => (await import('./ls.ts')).command },
  {
    name: 'attach',
    summary: 'show a session on this terminal',
    load: async () => (await import('./attach.ts')).command,
  },
  { name: 'send', summary: 'type a text into a session', load: async () => (await import('./send.ts')).command },
  { name: 'keys', summary: 'press keys in a session', load: async () => (await import('./keys.ts')).command },
  { name: 'screen', summary: 'what a session’s screen shows', load: async () => (await import('./screen.ts')).command },
  { name: 'logs', summary: 'what a session has printed', load: async () => (await import('./logs.ts')).command },
  {
    name: 'wait',
    summary: 'wait until a session shows something, is idle, or ends',
    load: async () => (await import('./wait.ts')).command,
  },
  { name: 'kill', summary: 'end sessions', load: async () => (await import('./kill.ts')).command },
  { name: 'shot', summary: 'a session’s screen as a picture', load: async () => (await import('./shot.ts')).command },
  {
    name: 'url',
    summary: 'the link under which a session is followed',
    load: async () => (await import('./url.ts')).command,
  },
  { name: 'replay', summary: 'play what a session printed', load: async () => (await import('./replay.ts')).command },
  {
    name: 'export',
    summary: 'write what a session printed as a recording',
    load: async () => (await import('./export.ts')).command,
  },
  {
    name: 'adopt',
    summary: 'take a tmux session under the hub',
    load: async () => (await import('./adopt.ts')).command,
  },
  {
    name: 'jobs',
    summary: 'the one-off commands and their queue',
    load: async () => (await import('./jobs.ts')).command,
  },
  {
    name: 'jobs add',
    summary: 'put a command into the queue',
    load: async () => (await import('./jobs-add.ts')).command,
  },
  {
    name: 'jobs cancel',
    summary: 'end a job, or take it out of the queue',
    load: async () => (await import('./jobs-cancel.ts')).command,
  },
  { name: 'templates', summary: 'what can be started', load: async () => (await import('./templates.ts')).command },
  {
    name: 'templates save',
    summary: 'give the hub a template of your own',
    load: async () => (await import('./templates-save.ts')).command,
  },
  {
    name: 'templates delete',
    summary: 'delete a template of your own',
    load: async () => (await import('./templates-delete.ts')).command,
  },
  {
    name: 'approvals',
    summary: 'answer the calls that wait for a person, at the keyboard',
    load: async () => (await import('./approvals.ts')).command,
  },
  {
    name: 'approvals ls',
    summary: 'the calls that wait for a person',
    load: async () => (await import('./approvals-ls.ts')).command,
  },
  {
    name: 'approvals show',
    summary: 'one of them, with all that there is to know',
    load: async () => (await import('./approvals-show.ts')).command,
  },
  {
    name: 'approvals approve',
    summary: 'let a call through',
    load: async () => (await import('./approvals-answer.ts')).approve,
  },
  {
    name: 'approvals deny',
    summary: 'refuse a call',
    load: async () => (await import('./approvals-answer.ts')).deny,
  },
  {
    name: 'approvals abort',
    summary: 'refuse a call, and end the agent’s turn',
    load: async () => (await import('./approvals-answer.ts')).abort,
  },
  {
    name: 'grants',
    summary: 'what was approved for more than one call',
    load: async () => (await import('./grants.ts')).command,
  },
  {
    name: 'grants revoke',
    summary: 'take a grant back',
    load: async () => (await import('./grants-revoke.ts')).command,
  },
  {
    name: 'connectors',
    summary: 'the MCP servers that sessions may use',
    load: async () => (await import('./connectors.ts')).command,
  },
  {
    name: 'connectors add',
    summary: 'register an MCP server',
    load: async () => (await import('./connectors-add.ts')).command,
  },
  {
    name: 'connectors show',
    summary: 'one connector with all it has',
    load: async () => (await import('./connectors-show.ts')).command,
  },
  {
    name: 'connectors test',
    summary: 'try whether an MCP server works, and what it offers',
    load: async () => (await import('./connectors-test.ts')).command,
  },
  {
    name: 'connectors restart',
    summary: 'start its upstreams anew',
    load: async () => (await import('./connectors-restart.ts')).command,
  },
  {
    name: 'connectors rm',
    summary: 'forget a connector',
    load: async () => (await import('./connectors-rm.ts')).command,
  },
  {
    name: 'connectors import',
    summary: 'take over MCP servers from other programs',
    load: async () => (await import('./connectors-import.ts')).command,
  },
  {
    name: 'connectors export',
    summary: 'print connectors for other programs',
    load: async () => (await import('./connectors-export.ts')).command,
  },
  {
    name: 'connectors bind',
    summary: 'give a session the tools of a connector',
    load: async () => (await import('./connectors-bind.ts')).command,
  },
  {
    name: 'connectors unbind',
    summary: 'take them away again',
    load: async () => (await import('./connectors-unbind.ts')).command,
  },
  {
    name: 'connectors bindings',
    summary: 'the connectors of a session',
    load: async () => (await import('./connectors-bindings.ts')).command,
  },
  {
    name: 'tools',
    summary: 'the tools that a session’s agent sees',
    load: async () => (await import('./tools.ts')).command,
  },
  {
    name: 'policy',
    summary: 'what agents may do',
    load: async () => (await import('./policy.ts')).command,
  },
  {
    name: 'policy edit',
    summary: 'change it in your editor, and see what that changes',
    load: async () => (await import('./policy-edit.ts')).command,
  },
  {
    name: 'policy save',
    summary: 'save a file as the next version',
    load: async () => (await import('./policy-save.ts')).command,
  },
  {
    name: 'policy check',
    summary: 'whether a file is a policy, or what would be decided',
    load: async () => (await import('./policy-check.ts')).command,
  },
  {
    name: 'policy simulate',
    summary: 'try a policy on the calls that were recorded',
    load: async () => (await import('./policy-simulate.ts')).command,
  },
  {
    name: 'policy diff',
    summary: 'what a file would change',
    load: async () => (await import('./policy-diff.ts')).command,
  },
  {
    name: 'policy proposals',
    summary: 'the rules that agents have asked for',
    load: async () => (await import('./policy-proposals.ts')).command,
  },
  {
    name: 'policy accept',
    summary: 'add such rules to the session’s policy',
    load: async () => (await import('./policy-decide.ts')).accept,
  },
  {
    name: 'policy reject',
    summary: 'refuse such rules',
    load: async () => (await import('./policy-decide.ts')).reject,
  },
  {
    name: 'trace',
    summary: 'one call’s whole path: rule, approval, upstream, outcome',
    load: async () => (await import('./trace.ts')).command,
  },
  { name: 'events', summary: 'what happened, newest first', load: async () => (await import('./events.ts')).command },
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
    name: 'report',
    summary: 'for the hooks of an agent: say what it is doing',
    load: async () => (await import('./report.ts')).command,
  },
  {
    name: 'relay',
    summary: 'connect an MCP client on stdin and stdout to a session or a hub',
    load: async () => (await import('./relay/relay.ts')).command,
  },
  {
    name: 'mcp-config',
    summary: 'what to write into the settings of an MCP client',
    load: async () => (await import('./mcp-config.ts')).command,
  },
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

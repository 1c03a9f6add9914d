/** The list of all commands. A command's module is loaded only when the command is called, to keep the CLI fast. */
import type { CommandEntry } from './command/command.ts'

export const commands: readonly CommandEntry[] = [
  { name: 'up', summary: 'start the hub', load: async () => (await import('./hub/up.ts')).command },
  {
    name: 'new',
    summary: 'start an agent or a command in its own terminal',
    load: async () => (await import('./sessions/new.ts')).command,
  },
  {
    name: 'resume',
    summary: 'continue the conversation of an agent that has ended',
    load: async () => (await import('./sessions/resume.ts')).command,
  },
  {
    name: 'ls',
    summary: 'list the sessions and what each is doing',
    load: async () => (await import('./sessions/ls.ts')).command,
  },
  {
    name: 'prompt',
    summary: 'give an agent a prompt, and print its answer as it comes',
    load: async () => (await import('./threads/prompt.ts')).command,
  },
  {
    name: 'steer',
    summary: 'add a text to the turn that an agent works on',
    load: async () => (await import('./threads/thread-commands.ts')).steer,
  },
  {
    name: 'interrupt',
    summary: 'end the turn that an agent works on',
    load: async () => (await import('./threads/thread-commands.ts')).interrupt,
  },
  {
    name: 'answer',
    summary: 'answer a question that an agent asks',
    load: async () => (await import('./threads/answer.ts')).command,
  },
  {
    name: 'thread',
    summary: 'print what an agent said and did',
    load: async () => (await import('./threads/thread-commands.ts')).thread,
  },
  {
    name: 'thread import',
    summary: 'make a thread from the messages of another provider',
    load: async () => (await import('./threads/thread-commands.ts')).threadImport,
  },
  {
    name: 'switch',
    summary: 'continue a thread with another agent or model',
    load: async () => (await import('./threads/thread-commands.ts')).switchProvider,
  },
  {
    name: 'chat',
    summary: 'leave the agent of a session a message, and read what it wrote',
    load: async () => (await import('./chat/chat.ts')).command,
  },
  {
    name: 'fork',
    summary: 'copy a thread, all of it or up to a message',
    load: async () => (await import('./threads/thread-commands.ts')).fork,
  },
  {
    name: 'run',
    summary: 'have an action done by a model, a connector or an agent',
    load: async () => (await import('./routes/run.ts')).command,
  },
  {
    name: 'routes',
    summary: 'list the ways of each action',
    load: async () => (await import('./routes/routes.ts')).list,
  },
  {
    name: 'routes set',
    summary: 'set the ways of an action',
    load: async () => (await import('./routes/routes.ts')).set,
  },
  {
    name: 'routes reset',
    summary: 'remove your setting',
    load: async () => (await import('./routes/routes.ts')).reset,
  },
  {
    name: 'repo',
    summary: 'list the repositories that can be searched and asked about',
    load: async () => (await import('./repositories/repository-commands.ts')).list,
  },
  {
    name: 'repo add',
    summary: 'index a folder',
    load: async () => (await import('./repositories/repo-add.ts')).add,
  },
  {
    name: 'repo refresh',
    summary: 'bring an index up to date',
    load: async () => (await import('./repositories/repo-add.ts')).refresh,
  },
  {
    name: 'repo search',
    summary: 'search the repositories',
    load: async () => (await import('./repositories/repository-commands.ts')).search,
  },
  {
    name: 'repo read',
    summary: 'print a file of a repository',
    load: async () => (await import('./repositories/repository-commands.ts')).read,
  },
  {
    name: 'repo ask',
    summary: 'ask about a repository, and get an answer with checked citations',
    load: async () => (await import('./repositories/repo-ask.ts')).command,
  },
  {
    name: 'repo rm',
    summary: 'remove a repository and its index',
    load: async () => (await import('./repositories/repository-commands.ts')).rm,
  },
  {
    name: 'attach',
    summary: 'show a session on this terminal',
    load: async () => (await import('./sessions/attach.ts')).command,
  },
  {
    name: 'send',
    summary: 'type text into a session',
    load: async () => (await import('./sessions/session-commands.ts')).send,
  },
  {
    name: 'keys',
    summary: 'press keys in a session',
    load: async () => (await import('./sessions/session-commands.ts')).keys,
  },
  {
    name: 'screen',
    summary: 'print the screen of a session',
    load: async () => (await import('./sessions/screen.ts')).command,
  },
  {
    name: 'logs',
    summary: 'print the output of a session',
    load: async () => (await import('./sessions/logs.ts')).command,
  },
  {
    name: 'wait',
    summary: 'wait until a session shows something, is idle, or ends',
    load: async () => (await import('./sessions/wait.ts')).command,
  },
  { name: 'kill', summary: 'end sessions', load: async () => (await import('./sessions/kill.ts')).command },
  {
    name: 'prune',
    summary: 'remove what is no longer in use',
    load: async () => (await import('./sessions/prune.ts')).command,
  },
  {
    name: 'changes',
    summary: 'print what changed in the workspace of a session',
    load: async () => (await import('./sessions/changes.ts')).command,
  },
  {
    name: 'shot',
    summary: 'save the screen of a session as a picture',
    load: async () => (await import('./sessions/shot.ts')).command,
  },
  {
    name: 'url',
    summary: 'print the link to the live page of a session, or a QR code that logs a phone in',
    load: async () => (await import('./sessions/url.ts')).command,
  },
  {
    name: 'replay',
    summary: 'play back the output of a session',
    load: async () => (await import('./sessions/replay.ts')).command,
  },
  {
    name: 'export',
    summary: 'write the output of a session as a recording',
    load: async () => (await import('./sessions/export.ts')).command,
  },
  {
    name: 'adopt',
    summary: 'bring a running tmux session under the hub',
    load: async () => (await import('./sessions/session-commands.ts')).adopt,
  },
  {
    name: 'release',
    summary: 'release an adopted tmux session',
    load: async () => (await import('./sessions/session-commands.ts')).release,
  },
  {
    name: 'jobs',
    summary: 'list the one-off commands and agents, and their queue',
    load: async () => (await import('./jobs/jobs.ts')).command,
  },
  {
    name: 'jobs add',
    summary: 'queue a command, or an agent with a prompt',
    load: async () => (await import('./jobs/jobs-add.ts')).command,
  },
  {
    name: 'jobs cancel',
    summary: 'end a job, or remove it from the queue',
    load: async () => (await import('./jobs/jobs-cancel.ts')).command,
  },
  {
    name: 'templates',
    summary: 'list the templates, and what each is missing',
    load: async () => (await import('./templates/templates.ts')).list,
  },
  {
    name: 'templates save',
    summary: 'save a template of your own',
    load: async () => (await import('./templates/templates-save.ts')).command,
  },
  {
    name: 'templates delete',
    summary: 'delete a template of your own',
    load: async () => (await import('./templates/templates.ts')).remove,
  },
  {
    name: 'approvals',
    summary: 'answer the calls that wait for a person, at the keyboard',
    load: async () => (await import('./approvals/approvals.ts')).command,
  },
  {
    name: 'approvals ls',
    summary: 'list the calls that wait for a person',
    load: async () => (await import('./approvals/approvals-ls.ts')).command,
  },
  {
    name: 'approvals show',
    summary: 'show one of them in full',
    load: async () => (await import('./approvals/approvals-show.ts')).command,
  },
  {
    name: 'approvals approve',
    summary: 'approve a call',
    load: async () => (await import('./approvals/approvals-decide.ts')).approve,
  },
  {
    name: 'approvals deny',
    summary: 'refuse a call',
    load: async () => (await import('./approvals/approvals-decide.ts')).deny,
  },
  {
    name: 'approvals abort',
    summary: 'refuse a call, and end the agent’s turn',
    load: async () => (await import('./approvals/approvals-decide.ts')).abort,
  },
  {
    name: 'grants',
    summary: 'list approvals for more than one call',
    load: async () => (await import('./approvals/grants.ts')).list,
  },
  {
    name: 'grants revoke',
    summary: 'revoke a grant',
    load: async () => (await import('./approvals/grants.ts')).revoke,
  },
  {
    name: 'connectors',
    summary: 'list the MCP servers that sessions may use',
    load: async () => (await import('./connectors/connectors.ts')).command,
  },
  {
    name: 'connectors add',
    summary: 'register an MCP server',
    load: async () => (await import('./connectors/connectors-add.ts')).command,
  },
  {
    name: 'connectors show',
    summary: 'show one connector in full',
    load: async () => (await import('./connectors/connectors-show.ts')).command,
  },
  {
    name: 'connectors test',
    summary: 'check that an MCP server works, and list what it offers',
    load: async () => (await import('./connectors/connectors-test.ts')).command,
  },
  {
    name: 'connectors restart',
    summary: 'restart the upstreams of a connector',
    load: async () => (await import('./connectors/connector-commands.ts')).restart,
  },
  {
    name: 'connectors allow',
    summary: 'let confined sessions use a program that is not confined',
    load: async () => (await import('./connectors/connector-commands.ts')).allow,
  },
  {
    name: 'connectors rm',
    summary: 'delete a connector',
    load: async () => (await import('./connectors/connector-commands.ts')).rm,
  },
  {
    name: 'connectors import',
    summary: 'import MCP servers from other programs',
    load: async () => (await import('./connectors/connectors-import.ts')).command,
  },
  {
    name: 'connectors export',
    summary: 'print connectors for other programs',
    load: async () => (await import('./connectors/connectors-export.ts')).command,
  },
  {
    name: 'connectors bind',
    summary: 'give a session the tools of a connector',
    load: async () => (await import('./connectors/connector-commands.ts')).bind,
  },
  {
    name: 'connectors unbind',
    summary: 'remove them again',
    load: async () => (await import('./connectors/connector-commands.ts')).unbind,
  },
  {
    name: 'connectors bindings',
    summary: 'list the connectors of a session',
    load: async () => (await import('./connectors/connectors-bindings.ts')).command,
  },
  {
    name: 'tools',
    summary: 'list the tools that a session’s agent sees',
    load: async () => (await import('./sessions/tools.ts')).command,
  },
  {
    name: 'policy',
    summary: 'show what agents may do',
    load: async () => (await import('./policy/policy.ts')).command,
  },
  {
    name: 'policy edit',
    summary: 'edit it in your editor, and see the effect',
    load: async () => (await import('./policy/policy-edit.ts')).command,
  },
  {
    name: 'policy save',
    summary: 'save a file as the next version',
    load: async () => (await import('./policy/policy-save.ts')).command,
  },
  {
    name: 'policy check',
    summary: 'check a policy file, or decide on a call',
    load: async () => (await import('./policy/policy-check.ts')).command,
  },
  {
    name: 'policy simulate',
    summary: 'try a policy on recorded calls',
    load: async () => (await import('./policy/policy-simulate.ts')).command,
  },
  {
    name: 'policy diff',
    summary: 'show what a file would change',
    load: async () => (await import('./policy/policy-diff.ts')).command,
  },
  {
    name: 'policy proposals',
    summary: 'list the rules that agents propose',
    load: async () => (await import('./policy/policy-proposals.ts')).list,
  },
  {
    name: 'policy accept',
    summary: 'add such rules to the session’s policy',
    load: async () => (await import('./policy/policy-proposals.ts')).accept,
  },
  {
    name: 'policy reject',
    summary: 'refuse such rules',
    load: async () => (await import('./policy/policy-proposals.ts')).reject,
  },
  {
    name: 'trace',
    summary: 'show the path of a call: rule, approval, upstream, outcome',
    load: async () => (await import('./events/trace.ts')).command,
  },
  {
    name: 'events',
    summary: 'list events, newest first',
    load: async () => (await import('./events/events.ts')).command,
  },
  { name: 'status', summary: 'show the state of the hub', load: async () => (await import('./hub/status.ts')).command },
  {
    name: 'doctor',
    summary: 'check this installation and say how to fix it',
    load: async () => (await import('./doctor/doctor.ts')).command,
  },
  {
    name: 'probe',
    summary: 'check that clients of every MCP revision can talk to the hub',
    load: async () => (await import('./hub/probe.ts')).command,
  },
  { name: 'call', summary: 'call a tool of the hub', load: async () => (await import('./hub/call.ts')).command },
  {
    name: 'report',
    summary: 'for the hooks of an agent: report what it is doing',
    load: async () => (await import('./hub/report.ts')).command,
  },
  {
    name: 'hook',
    summary: 'for the hooks of an agent: give a message to the hub',
    load: async () => (await import('./hub/hook.ts')).command,
  },
  {
    name: 'relay',
    summary: 'connect an MCP client on stdin and stdout to a session or a hub',
    load: async () => (await import('./relay/relay.ts')).command,
  },
  {
    name: 'mcp-config',
    summary: 'print the settings for an MCP client',
    load: async () => (await import('./hub/mcp-config.ts')).command,
  },
  {
    name: 'config',
    summary: 'show every setting, its value and its source',
    load: async () => (await import('./hub/config.ts')).command,
  },
  {
    name: 'token issue',
    summary: 'issue a token and print it, once',
    load: async () => (await import('./tokens/token-issue.ts')).command,
  },
  {
    name: 'token list',
    summary: 'list the tokens and when they were last used',
    load: async () => (await import('./tokens/token-list.ts')).command,
  },
  {
    name: 'token revoke',
    summary: 'revoke a token',
    load: async () => (await import('./tokens/token-revoke.ts')).command,
  },
  {
    name: 'backup',
    summary: 'write databases, keys, templates and settings into one file',
    load: async () => (await import('./backup/backup.ts')).command,
  },
  {
    name: 'restore',
    summary: 'make a data directory of such a file',
    load: async () => (await import('./backup/restore.ts')).command,
  },
  {
    name: 'service install',
    summary: 'write a systemd unit that keeps the hub running',
    load: async () => (await import('./service/service-install.ts')).command,
  },
  {
    name: 'service uninstall',
    summary: 'remove that unit',
    load: async () => (await import('./service/service-uninstall.ts')).command,
  },
  {
    name: 'service status',
    summary: 'check whether the unit is installed and correct',
    load: async () => (await import('./service/service-status.ts')).command,
  },
  {
    name: 'help',
    summary: 'help on a command, or on exit-codes',
    load: async () => (await import('./help.ts')).createHelpCommand(commands),
  },
]

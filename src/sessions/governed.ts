/** Whether the policy covers the tools built into the agent of a session: the only place that decides what is shown. */
import type { Governed } from '../api/session.ts'
import type { AgentName } from '../api/template.ts'
import { withoutControls } from '../base/without-controls.ts'
import type { ProjectSetting, SettingKind } from '../drivers/drivers.ts'
import type { SessionRecord } from './session-store.ts'

export interface GovernedFacts {
  /** The state of the gate, as its run has seen it. `undefined`: the run has no gate. */
  readonly gate: Governed | undefined
  /** The agent of the template or of its driver. `undefined`: the hub does not know it. */
  readonly agent: AgentName | undefined
  /** It was started with the command line of its template. */
  readonly isOfTemplate: boolean
  /** The agent that its command line starts. */
  readonly agentOfCommand: AgentName | undefined
  /** Another agent, which runs in the foreground of its terminal. */
  readonly agentInTerminal: AgentName | undefined
  /** The settings of the project that the agent obeys. `undefined`: the hub has not looked yet. */
  readonly project: readonly ProjectSetting[] | undefined
}

/** `undefined`: the session runs no agent that the hub knows. */
export function governedOf(facts: GovernedFacts): Governed | undefined {
  const { gate, agent, isOfTemplate, agentInTerminal } = facts
  if (gate && (isOfTemplate || gate.is !== 'no')) return behindGate(gate, facts)
  if (isOfTemplate && agent !== undefined) return { is: 'no', reason: withoutGate(agent) }
  const started = facts.agentOfCommand ?? agentInTerminal
  if (started !== undefined) return { is: 'no', reason: startedByHand(started) }
  if (agent !== undefined) return { is: 'no', reason: `${notOfTemplate} ${governedWay(agent)}` }
  return undefined
}

/** Of a living session whose program this hub does not follow. */
export function governedUnseen(
  { status }: Pick<SessionRecord, 'status'>,
  { agent, agentOfCommand }: Pick<GovernedFacts, 'agent' | 'agentOfCommand'>,
): Governed | undefined {
  if (agent === undefined && agentOfCommand === undefined) return undefined
  const reason = status === 'running' ? 'This hub does not see its program now.' : 'It has not started yet.'
  return { is: 'no', reason, unproven: true }
}

const notOfTemplate = 'It was not started with the command line of its template.'

function behindGate(gate: Governed, { agent, isOfTemplate, agentInTerminal, project }: GovernedFacts): Governed {
  if (gate.is === 'no') return gate
  if (agent !== undefined && project === undefined) {
    const reason = 'The hub has not looked yet whether the project has settings that the agent obeys.'
    return { is: 'no', reason, unproven: true }
  }
  const gaps = [
    isOfTemplate ? undefined : `${notOfTemplate} Its flags may loosen it.`,
    agentInTerminal && `${agentLabels[agentInTerminal]} runs in its terminal, without asking the hub.`,
    agent !== undefined && project !== undefined && project.length > 0 ? projectReason(agent, project) : undefined,
  ].filter((gap) => gap !== undefined)
  if (gaps.length === 0) return gate
  return { is: 'partly', reason: [...gaps, ...(gate.reason === undefined ? [] : [gate.reason])].join(' ') }
}

export const agentLabels: Readonly<Record<AgentName, string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  opencode: 'opencode',
}

/** A mode in which the hub has a gate for each agent. */
const governedModes: Readonly<Record<AgentName, string>> = {
  claude: 'terminal',
  codex: 'both',
  gemini: 'terminal',
  opencode: 'both',
}

function withoutGate(agent: AgentName): string {
  return `In this mode ${agentLabels[agent]} runs its own tools without asking the hub. ${governedWay(agent)}`
}

function startedByHand(agent: AgentName): string {
  return `${agentLabels[agent]} was started as a plain command, so it runs its own tools without asking the hub. ${governedWay(agent)}`
}

function governedWay(agent: AgentName): string {
  return `For a governed session: signalbox new --template ${agent} --mode ${governedModes[agent]}`
}

const kindWords: Readonly<Record<SettingKind, string>> = {
  hooks: 'hooks',
  plugins: 'plugins',
  environment: 'environment',
  helpers: 'helper programs',
  permissions: 'permissions',
  servers: 'MCP servers',
  tools: 'tools',
  commands: 'commands that run a shell',
  other: 'other settings',
  unreadable: 'not readable',
}

const listedFiles = 4
const listedCharacters = 100

export function projectReason(agent: AgentName, project: readonly ProjectSetting[]): string {
  const listed = project.slice(0, listedFiles).map(({ file, kinds }) => {
    const name = withoutControls(file).replaceAll(/\s+/g, ' ').slice(0, listedCharacters)
    return `${name} (${kinds.map((kind) => kindWords[kind]).join(', ')})`
  })
  const more = project.length > listedFiles ? ` and ${project.length - listedFiles} more` : ''
  return `The project has settings that ${agentLabels[agent]} obeys around the policy: ${listed.join(', ')}${more}.`
}

/**
 * Continues the conversation of an ended session in a new session with the same name, template, workspace, labels, tools,
 * connectors and policy. The old session keeps its record and its journal.
 */
import { existsSync } from 'node:fs'
import { isOver } from '../api/session.ts'
import type { ConversationRules } from '../api/template.ts'
import { inMode } from '../api/template.ts'
import { HubError, isNotFound } from '../base/hub-error.ts'
import type { PersonsEnvironment, ProgramEnvironment } from '../config/config.ts'
import type { Drivers } from '../drivers/drivers.ts'
import { canResume, choosesConversation } from './conversation.ts'
import type { Draft } from './draft.ts'
import { findConversation, noConversationOf } from './find-conversation.ts'
import type { LookForConversation } from './kept-conversation.ts'
import type { TemplateSource } from './template-source.ts'
import type { Launcher } from './launch.ts'
import type { NewRecord } from './new-record.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { SessionThreads } from './session-runs.ts'
import type { SessionRecord } from './session-store.ts'
import type { Worktrees } from './worktrees.ts'

export interface ResumeOptions {
  readonly drivers: Drivers
  readonly templates: Pick<TemplateSource, 'find'>
  readonly registry: Pick<SessionRegistry, 'change'>
  readonly newRecord: NewRecord
  readonly environment: Pick<PersonsEnvironment, 'forPrograms'>
  readonly lookForConversation: LookForConversation
  readonly threads: Pick<SessionThreads, 'conversationOf'>
  readonly worktrees: Pick<Worktrees, 'hold'>
  readonly launcher: Pick<Launcher, 'beside' | 'confinedBy' | 'folderOf'>
}

/** Drafts the session that continues the conversation. */
export type DraftResumed = (ended: SessionRecord) => Promise<Draft>

export function createDraftResumed(options: ResumeOptions): DraftResumed {
  const { drivers, templates, registry, newRecord, launcher, environment, lookForConversation, threads, worktrees } =
    options

  async function conversationOf(
    ended: SessionRecord,
    rules: ConversationRules,
    programs: ProgramEnvironment,
  ): Promise<string> {
    try {
      // The agent may have chosen the id itself, and its thread then has it.
      const id = ended.conversation?.id ?? (await threads.conversationOf(ended.id))
      if (id === undefined) return await findConversation(ended, rules, programs, await launcher.beside(ended))
      if ((await lookForConversation(ended)) === 'nothing') throw noConversationOf(ended)
      return id
    } catch (error) {
      // From now on the session is not offered for resuming.
      const isGone = isNotFound(error)
      if (isGone) await registry.change(ended.id, () => ({ conversation: undefined }))
      throw error
    }
  }

  return async (ended) => {
    using held = new DisposableStack()
    held.use(worktrees.hold(ended.workspacePath))
    assertResumable(ended)
    const found = templates.find(ended.template)
    const { available, whyNot } = found
    const template = inMode(found.template, ended.mode)
    const rules = template.conversation
    if (!rules) throw new HubError('invalid', `The template "${template.name}" no longer says how to resume.`)
    if (!available) {
      throw new HubError('unavailable', `The template "${template.name}" cannot be used here: ${whyNot}`)
    }
    const programs = { ...(await environment.forPrograms()), ...template.env }
    const conversation = { id: await conversationOf(ended, rules, programs) }
    await registry.change(ended.id, () => ({ conversation }))
    const { name, sessionType, backend, description, labels, workspacePath, size, terminalTools, socketName } = ended
    const record = newRecord({
      workspaceFolder: await launcher.folderOf(found, ended),
      name,
      template: template.name,
      command: template.command,
      args: template.args,
      agentArgs: choosesConversation(rules, ended.agentArgs) ? [] : ended.agentArgs,
      conversation,
      resumedFrom: ended.id,
      model: ended.model,
      sandbox: ended.sandbox,
      confined: await launcher.confinedBy(found, ended),
      sessionType,
      driver: drivers.find(template.driver).name,
      mode: ended.mode,
      backend,
      description,
      labels,
      workspacePath,
      size,
      terminalTools,
      socketName,
    })
    const holding = held.move()
    return { record, found, [Symbol.dispose]: () => holding.dispose() }
  }
}

function assertResumable(record: SessionRecord): void {
  const { name, status, template, conversation, agentArgs, workspacePath } = record
  if (!isOver(status)) {
    throw new HubError('conflict', `"${name}" has not ended. Type into it with send_input, or end it first.`)
  }
  if (!canResume(record)) {
    throw new HubError(
      'invalid',
      conversation === undefined && agentArgs.length > 0
        ? `"${name}" got no prompt, or it was started with ${agentArgs.join(' ')} and the hub does not know its conversation. Start another session with the same flags: signalbox new ${name} --template ${template} -- ${agentArgs.join(' ')}`
        : `"${name}" has no conversation to resume: it got no prompt, or its template does not say how to resume. Start another session with create_session.`,
    )
  }
  if (!existsSync(workspacePath)) {
    throw new HubError('not-found', `"${name}" cannot be resumed: its workspace ${workspacePath} is gone.`)
  }
}

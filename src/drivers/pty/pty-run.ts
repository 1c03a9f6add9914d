/** A program in a terminal, as a run of a session. */
import type { Template } from '../../api/template.ts'
import { HubError } from '../../base/hub-error.ts'
import type { Pattern, Terminal } from '../../terminal/terminal.ts'
import type { OpenCompanion } from '../port/companion.ts'
import type { AnsweredDialog, HookMessage, Run, RunSession, RunSpec } from '../port/driver.ts'
import type { ActivityWatchOptions } from './activity/activity.ts'
import { createActivityWatch } from './activity/activity.ts'
import { becomeReady, compilePasted, deliver, readPromptRules, wasStartedWith } from './prompt.ts'
import { releasePane } from './release-pane.ts'
import { stopProgram } from './stop-program.ts'
import { tailLog } from './tail-log.ts'
import { typeInto } from './type-into.ts'

export interface PtyRunOptions extends Required<Pick<ActivityWatchOptions, 'rules' | 'rulesOf' | 'redact'>> {
  /** `undefined`: the program was not just started. */
  readonly firstPrompt: RunSpec['firstPrompt'] | undefined
  readonly openCompanion: OpenCompanion | undefined
}

export function createPtyRun(session: RunSession, terminal: Terminal, options: PtyRunOptions): Run {
  const { name, backend, template, isResumed, lastActivity } = session
  const { firstPrompt, openCompanion, ...watching } = options
  const listeners = new Set<() => void>()
  const disposing = new AbortController()
  function notify(): void {
    for (const listener of listeners) listener()
  }
  const watch = createActivityWatch({ terminal, last: lastActivity, ...watching, onChange: notify, onPrograms: notify })
  const stopListening = terminal.onChange(notify)
  const companion = openCompanion?.({
    session,
    terminal,
    isNew: firstPrompt !== undefined,
    report: (report) => watch.report(report),
    stop: () => void stopProgram(terminal).catch(() => {}),
    onChange: notify,
  })
  const prompted = {
    terminal,
    currentActivity: async () => session.heldCall() ?? watch.check(),
    connected: (signal: AbortSignal) => session.agentConnected(signal),
    // If the hub cannot look, a person answers.
    mayAnswer: () =>
      session.projectSettings().then(
        (found) => found.length === 0,
        () => false,
      ),
    noteAnswer: (answered: AnsweredDialog) => session.noteAnswer(answered),
  }

  /** Answers start-up questions also if no prompt follows. */
  async function answerQuestions(asking: Template): Promise<void> {
    const rules = await readPromptRules(asking, isResumed)
    if (rules.questions.length > 0) await becomeReady(prompted, rules, disposing.signal)
  }
  /** A prompt waits for it, so that only one of them presses keys. */
  const started = template && firstPrompt === 'none' ? answerQuestions(template).catch(() => {}) : undefined

  return {
    get status() {
      return terminal.status
    },
    get activity() {
      return companion?.activity ?? watch.current
    },
    get fault() {
      return terminal.fault ?? companion?.fault
    },
    terminal,
    get governed() {
      return companion?.governed
    },
    get foreground() {
      return watch.programs
    },
    get question() {
      return companion?.question
    },
    ...(companion && {
      hasThread: companion.hasThread ?? true,
      hook: (message: HookMessage, signal: AbortSignal) => companion.hook(message, signal),
      ...companion.actions,
    }),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    report: (report) => watch.report(report),
    async prompt(text, signal) {
      if (!template)
        return {
          delivered: false,
          reason: 'The template of the session was deleted, so the hub does not know how to give it a prompt.',
        }
      const delivery = await companion?.prompt?.(text, signal)
      if (delivery) return delivery
      try {
        await terminal.draw()
        await started
        const rules = await readPromptRules(template, isResumed)
        return await (firstPrompt === 'argument'
          ? wasStartedWith(terminal, rules, signal)
          : deliver(prompted, text, rules, signal))
      } catch (error) {
        // A pattern of the template is invalid. The session runs all the same.
        if (!(error instanceof HubError)) throw error
        return { delivered: false, reason: error.message }
      }
    },
    async type(text, typing) {
      await terminal.draw()
      return typeInto({ ...prompted, name, pasted: await pastedIn(template) }, text, typing)
    },
    tail: (lines, { isRaw }) => tailLog(terminal, lines, isRaw),
    stop: () => stopProgram(terminal),
    ...(backend === 'tmux' && { release: () => releasePane(name, terminal) }),
    [Symbol.dispose]() {
      disposing.abort()
      companion?.[Symbol.dispose]()
      watch[Symbol.dispose]()
      stopListening()
      terminal.release()
    },
  }
}

/** `undefined` if the template was deleted, or does not set it. */
async function pastedIn(template: Template | undefined): Promise<Pattern | undefined> {
  try {
    return template && (await compilePasted(template.prompt))
  } catch (error) {
    if (error instanceof HubError) return undefined
    throw error
  }
}

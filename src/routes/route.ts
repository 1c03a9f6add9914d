/** The interface of routes, and what they need of the other parts of the hub. */
import type { Action, ActionInput } from '../api/action.ts'
import type { EventPlace } from '../api/event.ts'
import type { ActionResult, Route, Tried, Way } from '../api/route.ts'
import type { Activity, SessionStatus } from '../api/session.ts'
import type { Usage } from '../api/thread.ts'
import type { Feature } from '../feature/feature.ts'
import type { UpstreamTarget } from '../upstream/upstream.ts'

export interface Routes extends Feature {
  /**
   * Answers an action by the first of its ways that is up. `place.session` is the id of the session whose agent asks;
   * its policy then decides on connector tools. Throws −32001 if nothing could be asked.
   */
  run(
    action: Action,
    input: ActionInput,
    place: ActionPlace,
    signal: AbortSignal,
    options?: RunOptions,
  ): Promise<ActionOutcome>
  list(): Promise<readonly Route[]>
  /** `undefined`: back to config.yaml and the defaults. */
  set(action: Action, setting: ActionSetting | undefined): Promise<Route>
}

export type ActionPlace = EventPlace & { readonly correlation: string }

export interface RunOptions {
  /** Asks this session and nothing else. */
  readonly session?: string | undefined
  /** Asks only ways with this role. */
  readonly role?: string | undefined
  readonly progress?: ReportProgress
}

export type ReportProgress = (step: ProgressStep) => void
export interface ProgressStep {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

export interface ActionSetting {
  readonly ways: readonly Way[]
  readonly safeToRepeat: boolean
}

export type ActionOutcome =
  | { readonly is: 'answered'; readonly result: ActionResult }
  /** A way got the input and failed, and nothing else may be asked. */
  | {
      readonly is: 'failed'
      readonly action: Action
      readonly reason: string
      readonly route: string
      readonly session_id?: string
      readonly thread_id?: string
      readonly tried: readonly Tried[]
    }

/** How one way dealt with an action. */
export type Attempt =
  | ({ readonly is: 'answered'; readonly text: string; readonly model?: string; readonly usage?: Usage } & AttemptPlace)
  /** The way has the input. It may be unknown whether it acted on it. */
  | ({ readonly is: 'failed'; readonly reason: string } & AttemptPlace)
  /** Nothing was sent. `isUnreachable`: the connection failed, so this way should not be asked for a while. */
  | { readonly is: 'unavailable'; readonly reason: string; readonly isUnreachable: boolean }

export interface AttemptPlace {
  readonly route: string
  readonly session?: string
  readonly thread?: string | undefined
}

/** The call that a way answers. */
export interface WayCall {
  readonly action: Action
  readonly input: ActionInput
  readonly isSafeToRepeat: boolean
  /** Its parent is the event of the action. */
  readonly place: ActionPlace
  readonly signal: AbortSignal
  readonly progress: ReportProgress
}

/** One thing that can be asked. A way with a label stands for several. */
export interface Candidate {
  readonly name: string
  /** The key under which its health is remembered. `undefined`: its health is known without asking it. */
  readonly key?: string | undefined
  ask(call: WayCall): Promise<Attempt>
}

/** The models that the hub can call itself. */
export interface ActionModels {
  /** Without a name, finds the configured model. Throws an error that says what to set. */
  find(name?: string): { readonly provider: string }
  /** Whether the provider of the model can search the web. */
  canSearch(name?: string): boolean
  generate(request: {
    readonly model?: string
    readonly system?: string
    readonly prompt: string
    /** The model must search the web. */
    readonly search?: boolean
    readonly place: EventPlace
    readonly signal: AbortSignal
  }): Promise<{
    readonly text: string
    readonly provider: string
    readonly model: string
    readonly usage?: Usage | undefined
    /** The pages that a search found. */
    readonly sources?: readonly { readonly url: string; readonly title?: string | undefined }[]
  }>
}

export interface ActionConnectors {
  /**
   * The connector as it is, without the overrides of a binding; in the workspace of the session, if one is named. Throws
   * if there is no such connector, if it is switched off, or if a variable is not set.
   */
  resolveAlone(
    name: string,
    session?: string,
  ): Promise<{
    readonly target: UpstreamTarget
    readonly fingerprint: string
    allows(tool: string): boolean
    /** The mounts under which rules may name its tools. */
    readonly mounts: readonly string[]
  }>
  /** Throws if there is no such connector. */
  assertThere(name: string): Promise<void>
}

export interface ActionSession {
  readonly id: string
  readonly name: string
  readonly status: SessionStatus
  readonly labels: readonly string[]
  readonly priority: number
}

export interface ActionSessions {
  /** By name or id. Throws if there is no such session. */
  find(nameOrId: string): Promise<ActionSession>
  /** The sessions whose program runs under this hub. */
  running(): readonly ActionSession[]
  activityOf(session: ActionSession): Pick<Activity, 'is'>
}

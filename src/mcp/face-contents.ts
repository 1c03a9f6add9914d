import type { Topic } from './notices.ts'
import type { Results } from './operation.ts'
import type { Call, Follower, ToolInfo, Waiter } from './provider.ts'
import type { Meta, Params } from './wire.ts'

/** A face as its providers see it: everything that they offer together, behind the layers of the face. */
export interface FaceContents {
  /** All tools of these toolsets, including tools that the caller is not shown. */
  tools(toolsets: readonly string[]): readonly ToolInfo[]
  /** The tools that the caller is shown. A toolset only shortens this list: every tool can be called. */
  listTools(toolsets: readonly string[]): Promise<readonly object[]>
  findTool(name: string): ToolInfo | undefined
  callTool(tool: ToolInfo, args: Params, call: Call): Promise<Results['tool']>
  /** `undefined`: there is no such resource. `mount` selects one mount if several have the resource. */
  readResource(uri: string, call: Call, mount?: string): Promise<Results['read'] | undefined>
  /**
   * Makes sure that changes of the resource are reported. Throws if there is no such resource or it cannot be followed.
   */
  watch(uri: string, call: Call, options: WatchOptions): Promise<Topic>
  /**
   * Waits for providers that are starting: briefly by default, for a list as long as its client allows, for a tool
   * until it is there or known to be missing.
   */
  waitForStart(waiter?: Waiter): Promise<void>
  whyMissing(tool: string): string | undefined
  /** Notes for the client about the lists, such as missing mounts. */
  notes(): Meta | undefined
  /** Returns a test for addresses and address templates that belong to the hub, on any face. */
  ownResources(): (uri: string) => boolean
}

export interface WatchOptions {
  /** False: the operation must not wait for a person's approval. */
  readonly mayAsk: boolean
  readonly follower?: Follower
  readonly mount?: string
}

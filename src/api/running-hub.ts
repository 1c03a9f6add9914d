/** A hub that has been started. */
export interface RunningHub {
  /** The MCP endpoint. */
  readonly url: string
  /** The MCP endpoint for questions about repositories. `undefined`: its port is off or taken. */
  readonly repositoryUrl?: string | undefined
  /** The page. The token is in the fragment, which no server and no log sees. */
  readonly loginUrl: string
  stop(): Promise<void>
  /** Resolves when the hub has stopped for any reason. */
  readonly stopped: Promise<void>
}

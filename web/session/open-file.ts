/** Shows a file of the workspace in the tab Files. */
export interface FilePlace {
  /** Relative to the workspace, or absolute. */
  readonly path: string
  readonly first?: number
  readonly last?: number
}

export type OpenFile = (place: FilePlace) => void

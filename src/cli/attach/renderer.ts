export interface Shown {
  /** The view needs a new snapshot. */
  readonly isStale: boolean
}

/** One way to show a session, from one snapshot to the next. Its disposal undoes changes that resetting modes does not. */
export interface Renderer extends Disposable {
  draw(snapshot: string): void
  show(output: Uint8Array): Shown
}

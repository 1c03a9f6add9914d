export type Path = readonly PropertyKey[]

/** A mistake in the document, by path. `atLine` turns the path into a line. */
export class DocumentFault extends Error {
  readonly path: Path

  constructor(path: Path, message: string) {
    super(message)
    this.path = path
  }
}

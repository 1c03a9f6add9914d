/** A range of lines of a document that a search shows. */
export interface Place {
  readonly document: number
  readonly path: string
  readonly startLine: number
  readonly endLine: number
  readonly symbol: string | undefined
  readonly kind: string | undefined
  readonly score: number
}

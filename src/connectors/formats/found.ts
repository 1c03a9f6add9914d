/** The result of a reader: the servers in their original format. */
export interface Found {
  readonly entries: readonly (readonly [name: string, entry: Readonly<Record<string, unknown>>])[]
  readonly remove?: readonly string[]
  readonly warnings?: readonly string[]
  /** The descriptions of the `${input:id}` references, if the file has them. */
  readonly inputs?: ReadonlyMap<string, string>
}

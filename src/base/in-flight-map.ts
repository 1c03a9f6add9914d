/**
 * A map for things that come and go all the time, such as running calls.
 *
 * When a `Map` grows, its old table keeps pointing to its entries and to the new table. Once one table has moved to the
 * old generation, the minor collections keep every later table alive, and with them the calls that have long ended. So
 * this map stores its values in cells, and empties the cell of a removed value.
 */
export class InFlightMap<Key, Value> {
  readonly #cells = new Map<Key, { value: Value | undefined }>()

  get size(): number {
    return this.#cells.size
  }

  has(key: Key): boolean {
    return this.#cells.has(key)
  }

  get(key: Key): Value | undefined {
    return this.#cells.get(key)?.value
  }

  set(key: Key, value: Value): void {
    const cell = this.#cells.get(key)
    if (cell) cell.value = value
    else this.#cells.set(key, { value })
  }

  delete(key: Key): void {
    const cell = this.#cells.get(key)
    if (!cell) return
    cell.value = undefined
    this.#cells.delete(key)
  }

  keys(): MapIterator<Key> {
    return this.#cells.keys()
  }

  /** In the order in which they were added. */
  values(): readonly Value[] {
    return Array.from(this.#cells.values(), ({ value }) => value as Value)
  }
}

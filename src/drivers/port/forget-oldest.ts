/** Keeps a map of calls small in a long session: the oldest are forgotten, but none that is still open. */
export function forgetOldest<Key, Value>(map: Map<Key, Value>, most: number, isOpen: (value: Value) => boolean): void {
  for (const [key, value] of map) {
    if (map.size <= most) return
    if (!isOpen(value)) map.delete(key)
  }
}

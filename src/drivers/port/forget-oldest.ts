/** Keeps a map of calls small in a long session: the oldest are forgotten, but none that is still open. */
export function forgetOldest<Key, Value>(map: Map<Key, Value>, most: number, isOpen: (value: Value) => boolean): void {
  for (const [key, value] of map) {
    if (map.size <= most) return
    if (!isOpen(value)) map.delete(key)
  }
}

/** The same by the bytes that the values take. */
export function forgetOldestBytes<Key, Value extends { readonly bytes: number }>(
  map: Map<Key, Value>,
  mostBytes: number,
  isOpen: (value: Value) => boolean,
): void {
  let bytes = 0
  for (const value of map.values()) bytes += value.bytes
  for (const [key, value] of map) {
    if (bytes <= mostBytes) return
    if (isOpen(value)) continue
    map.delete(key)
    bytes -= value.bytes
  }
}

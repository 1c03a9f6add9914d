/** Keeps a set or map, whose order is that in which it was filled, from growing for ever. */
export function dropOldest(
  kept: Pick<Map<unknown, unknown> | Set<unknown>, 'size' | 'keys' | 'delete'>,
  most: number,
): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= most) return
    kept.delete(oldest)
  }
}

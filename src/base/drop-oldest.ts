/** Bounds a set or map by deleting its oldest entries. */
export function dropOldest(
  kept: Pick<Map<unknown, unknown> | Set<unknown>, 'size' | 'keys' | 'delete'>,
  most: number,
): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= most) return
    kept.delete(oldest)
  }
}

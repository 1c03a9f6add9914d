/**
 * The stamp of a file shows whether its content is the one that was read. A stamp that was taken right after a change
 * is marked as unsettled: the file may change once more and keep the stamp. So a refresh reads the file again.
 */
const mark = '?'

export function unsettled(stamp: string): string {
  return stamp + mark
}

/** Whether the content must be read: it differs from what is known, or may differ. */
export function mustRead(known: string | undefined, stamp: string): boolean {
  return known !== stamp || stamp.endsWith(mark)
}

/** Whether the content differs from what is known, judging by its stamps. */
export function hasChanged(known: string | undefined, stamp: string): boolean {
  return known === undefined || settled(known) !== settled(stamp)
}

function settled(stamp: string): string {
  return stamp.endsWith(mark) ? stamp.slice(0, -mark.length) : stamp
}

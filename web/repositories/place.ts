/** A place in a file of a repository. From 1 to 0 means: the file, and no line of it. */
export interface Place {
  readonly path: string
  readonly start: number
  readonly end: number
}

export function samePlace(one: Place | undefined, other: Place): boolean {
  return one?.path === other.path && one.start === other.start && one.end === other.end
}

export function wholeFile(path: string): Place {
  return { path, start: 1, end: 0 }
}

export function linesOf({ start, end }: Pick<Place, 'start' | 'end'>): string {
  return start === end ? String(start) : `${start}-${end}`
}

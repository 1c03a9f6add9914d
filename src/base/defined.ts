type Defined<T extends object> = { [Key in keyof T]: Exclude<T[Key], undefined> }

/** Drops the fields that are `undefined`: here a missing field and an `undefined` one mean the same. */
export function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>
}

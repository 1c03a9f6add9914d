type Defined<T extends object> = { [Key in keyof T]: Exclude<T[Key], undefined> }

/** Without the fields that are `undefined`: to have none of a thing and not to say are the same here. */
export function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>
}

/** The environment of this process. No other code reads it, so that one place knows the source of every value. */
export type Environment = Readonly<Record<string, string | undefined>>

export function readEnvironment(): Environment {
  return process.env
}

/** The environment of this process. Nobody else reads it: what came from where is told in one place. */
export type Environment = Readonly<Record<string, string | undefined>>

export function readEnvironment(): Environment {
  return process.env
}

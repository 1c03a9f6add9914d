/** A port that the hub can do without: if another program has the default one, the hub starts and says what to set. */
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'

export interface OptionalPort {
  readonly host: string
  readonly port: number
  /** A person has chosen the port. Then one that is taken is an error. */
  readonly isChosen: boolean
  readonly log: Pick<Log, 'warn'>
}

/** The port it listens on. `undefined`: another program has it. */
export async function listenIfFree(
  server: { listen(host: string, port: number): Promise<number> },
  { host, port, isChosen, log }: OptionalPort,
): Promise<number | undefined> {
  try {
    return await server.listen(host, port)
  } catch (error) {
    if (isChosen || !isTaken(error)) throw error
    log.warn({ host, port }, `${error.message} The rest of the hub runs.`)
    return undefined
  }
}

function isTaken(error: unknown): error is HubError {
  return error instanceof HubError && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE'
}

import { HubError } from '../base/hub-error.ts'

export interface NameSources {
  /** By whoever starts the session. */
  readonly asked?: string | undefined
  /** SIGNALBOX_MCP_SOCKET_NAME. */
  readonly environment?: string | undefined
  readonly template?: string | undefined
  /** Of the holder: unlike the hub's it is the session's alone, and stays as long as the session. */
  readonly pid: number
}

/** What a session's socket is called: the first that is there. */
export function socketName({ asked, environment, template, pid }: NameSources): string {
  return asked ?? environment ?? template ?? String(pid)
}

/** It becomes part of a file name. */
export function checkSocketName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return
  throw new HubError(
    'invalid',
    `"${name.slice(0, 80)}" is no name for a socket: it takes letters, digits, ".", "-" and "_", at most 64, such as "build".`,
  )
}

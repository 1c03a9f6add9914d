/** What one viewer asks the hub about one session. */
import { z } from 'zod'
import type { TerminalSize } from '../../api/session.ts'
import { ask } from '../ask-hub.ts'
import type { HubConnection } from '../hub-client.ts'
import type { Drawing, Output } from '../session-output.ts'
import { readDrawing, readOutput } from '../session-output.ts'

export interface Visit extends AsyncDisposable {
  /** Asks to be the one who types; the others read along. */
  claim(options: { readonly takeOver: boolean }): Promise<Claim>
  type(text: string): Promise<void>
  resize(size: TerminalSize): Promise<void>
  draw(): Promise<Drawing>
  /** Waits until there is something to tell, but not for ever. */
  read(since: number): Promise<Output>
}

export interface Claim {
  readonly granted: boolean
  /** Whoever types now. */
  readonly writer: string
}

const claimAnswer = z.looseObject({ granted: z.boolean(), writer: z.string() })

export function createVisit(hub: HubConnection, session: string, viewer: string): Visit {
  return {
    claim: async ({ takeOver }) =>
      claimAnswer.parse(await ask(hub, 'claim_input', { session, viewer, take_over: takeOver })),
    async type(text) {
      await ask(hub, 'send_text', { session, viewer, text })
    },
    async resize({ cols, rows }) {
      await ask(hub, 'resize', { session, viewer, cols, rows })
    },
    draw: () => readDrawing(hub, session, viewer),
    read: (since) => readOutput(hub, session, since, viewer),
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  }
}

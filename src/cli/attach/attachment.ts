/** One viewer's access to one session: its output, its keyboard and its size. */
import { z } from 'zod'
import type { TerminalSize } from '../../api/session.ts'
import { ask } from '../hub-client/ask-hub.ts'
import type { HubClient } from '../hub-client/hub-client.ts'
import type { Output, Snapshot } from './session-output.ts'
import { readOutput, readSnapshot } from './session-output.ts'

export interface Attachment extends Disposable {
  /** Asks to become the writer. All other viewers can only watch. */
  claim(options: { readonly takeOver: boolean }): Promise<Claim>
  type(text: string): Promise<void>
  resize(size: TerminalSize): Promise<void>
  readSnapshot(): Promise<Snapshot>
  /** Waits for new output, but not for ever: the result may be empty. */
  readOutput(since: number): Promise<Output>
}

export interface Claim {
  readonly granted: boolean
  /** The current writer. */
  readonly writer: string
}

const claimAnswer = z.looseObject({ granted: z.boolean(), writer: z.string() })

export function createAttachment(hub: HubClient, session: string, viewer: string): Attachment {
  return {
    claim: async ({ takeOver }) =>
      claimAnswer.parse(await ask(hub, 'claim_input', { session, viewer, take_over: takeOver })),
    async type(text) {
      await ask(hub, 'send_text', { session, viewer, text })
    },
    async resize({ cols, rows }) {
      await ask(hub, 'resize', { session, viewer, cols, rows })
    },
    readSnapshot: () => readSnapshot(hub, session, viewer),
    readOutput: (since) => readOutput(hub, session, since, viewer),
    [Symbol.dispose]: () => hub[Symbol.dispose](),
  }
}

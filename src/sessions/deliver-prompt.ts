/**
 * Gives a program that has just started its first prompt, as a turn of the session. If it could not be delivered, the
 * session's last message says so.
 */
import { randomUUID } from 'node:crypto'
import { isOver } from '../api/session.ts'
import type { Delivery, Run } from '../drivers/drivers.ts'
import type { Turns } from '../gate/gate.ts'
import type { PromptOrigin } from './draft.ts'
import type { RunningSessions } from './running.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { SessionRecord } from './session-store.ts'

export interface DeliveryOptions {
  readonly registry: Pick<SessionRegistry, 'change'>
  readonly running: Pick<RunningSessions, 'settled'>
  readonly turns: Pick<Turns, 'begin'>
  /** Cancels the delivery of prompts when the hub stops. */
  readonly stopping: AbortSignal
}

export type DeliverPrompt = (record: SessionRecord, run: Run, prompt: FirstPrompt) => Promise<Delivery>

export interface FirstPrompt {
  readonly text: string
  /** `undefined`: no event says which call gave it. */
  readonly from: PromptOrigin | undefined
  readonly signal?: AbortSignal
}

export function createDeliverPrompt({ registry, running, turns, stopping }: DeliveryOptions): DeliverPrompt {
  async function give(record: SessionRecord, run: Run, { text, from, signal = stopping }: FirstPrompt) {
    const prompt = () => run.prompt(text, AbortSignal.any([signal, stopping]))
    // Without a thread the hub cannot tell when the turn ends.
    if (!run.hasThread) return prompt()
    const turn = await turns.begin({
      session: { id: record.id, name: record.name },
      prompt: text,
      // A resumed agent may first end the turn in which it was cut off.
      isBusy: record.resumedFrom !== undefined,
      correlation: from?.correlation ?? randomUUID(),
      parent: from?.event,
    })
    return turn.deliver(prompt)
  }

  return async (record, run, prompt) => {
    const delivery = await give(record, run, prompt)
    if (!delivery.delivered) {
      const lastMessage = `The prompt was not delivered: ${delivery.reason}`
      // If the program has ended, its record already says so.
      await running.settled(record.id)
      await registry.change(record.id, ({ status }) => (isOver(status) ? undefined : { lastMessage }))
    }
    return delivery
  }
}

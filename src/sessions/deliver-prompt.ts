/** Gives a program that has just started its first prompt. If it could not be delivered, the session's last message says so. */
import { isOver } from '../api/session.ts'
import type { Delivery, Run } from '../drivers/drivers.ts'
import type { RunningSessions } from './running.ts'
import type { SessionRegistry } from './session-registry.ts'

export interface DeliveryOptions {
  readonly registry: Pick<SessionRegistry, 'change'>
  readonly running: Pick<RunningSessions, 'settled'>
  /** Cancels the delivery of prompts when the hub stops. */
  readonly stopping: AbortSignal
}

export type DeliverPrompt = (id: string, run: Run, prompt: string, signal?: AbortSignal) => Promise<Delivery>

export function createDeliverPrompt({ registry, running, stopping }: DeliveryOptions): DeliverPrompt {
  return async (id, run, prompt, signal = stopping) => {
    const delivery = await run.prompt(prompt, AbortSignal.any([signal, stopping]))
    if (!delivery.delivered) {
      const lastMessage = `The prompt was not delivered: ${delivery.reason}`
      // If the program has ended, its record already says so.
      await running.settled(id)
      await registry.change(id, ({ status }) => (isOver(status) ? undefined : { lastMessage }))
    }
    return delivery
  }
}

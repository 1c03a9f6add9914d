/** Devices that get push messages. */
import { z } from 'zod'

export const pushSubscriptionSchema = z.object({
  id: z.string(),
  label: z.string().optional(),
  service: z.string().describe('The host of its push service.'),
  created_at: z.string(),
  sent_at: z.string().optional().describe('When the push service last took a message.'),
  last_error: z.string().optional(),
})
export type PushSubscriptionView = z.output<typeof pushSubscriptionSchema>

export const pushListSchema = z.object({
  public_key: z.string().describe('The applicationServerKey of this hub, as base64url.'),
  subscriptions: z.array(pushSubscriptionSchema),
})
export type PushList = z.output<typeof pushListSchema>

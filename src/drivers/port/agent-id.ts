import { z } from 'zod'

/**
 * An id, a name or a path that an agent chooses. The hub keeps thousands of them in memory, so it does not understand a
 * message with a longer one.
 */
export const agentId = z.string().max(4_096)

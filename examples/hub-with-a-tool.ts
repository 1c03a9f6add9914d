/**
 * A hub inside your own program, with an extra tool and an extra resource.
 *
 *   node examples/hub-with-a-tool.ts
 *
 * It has the same settings as `signalbox up`. If the package is installed, import it as 'signalbox'.
 */
import { randomInt } from 'node:crypto'
import { z } from 'zod'
import type { HubParts, Provider } from '../src/index.ts'
import { defineTool, loadConfig, startHub } from '../src/index.ts'

const lastRollUri = 'resource://dice/last'

const createDice: NonNullable<HubParts['providers']> = ({ notices }) => {
  let last: number | undefined

  const rollDice = defineTool({
    name: 'roll_dice',
    description: 'Rolls one die and remembers the outcome.',
    input: z.strictObject({ sides: z.int().min(2).max(100).default(6) }),
    output: z.object({ rolled: z.number() }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    async run({ sides }) {
      last = randomInt(1, sides + 1)
      notices.resourceChanged(lastRollUri)
      return { rolled: last }
    },
  })

  const lastRoll = {
    uri: lastRollUri,
    name: 'last roll',
    description: 'The last result of roll_dice.',
    mimeType: 'text/plain',
    read: async () => ({ contents: [{ uri: lastRollUri, mimeType: 'text/plain', text: String(last ?? 'none yet') }] }),
  }

  const dice: Provider = { toolset: 'admin', tools: () => [rollDice], resources: () => [lastRoll] }
  return [dice]
}

const hub = await startHub(loadConfig(), { providers: createDice })
console.log(`Signalbox is ready: ${hub.loginUrl}`)
process.once('SIGTERM', () => void hub.stop())
process.once('SIGINT', () => void hub.stop())
await hub.stopped

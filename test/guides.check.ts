/** `npm run check:guides`: a contributor follows the guides, and what they wrote passes `npm run check`. */
import { test } from 'vitest'
import { createNewcomer } from './documents/newcomer.ts'
import { readSteps } from './documents/page-steps.ts'
import { readPage } from './documents/pages.ts'
import { runSteps } from './documents/run-steps.ts'

test('the guides to a feature, a driver, a tool and a resource work to the letter, and pass the check', async () => {
  await using newcomer = await createNewcomer()
  await runSteps(readSteps(readPage('docs/guides/add-a-feature.md')), newcomer)
  await runSteps(readSteps(readPage('docs/guides/add-a-driver.md')), newcomer)
  // It ends with `npm run check`, which also looks at the files of the guides before.
  await runSteps(readSteps(readPage('docs/guides/add-a-tool.md')), newcomer)
  await runSteps(readSteps(readPage('docs/guides/add-a-resource.md')), newcomer)
}, 900_000)

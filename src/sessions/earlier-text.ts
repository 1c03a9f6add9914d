/**
 * A thread that another agent began, as a text before the first prompt: for an agent that takes it in no other form. The
 * text is a file of the session until the agent has it, so a new hub still gives it.
 */
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Run } from '../drivers/drivers.ts'

/** Agents take a prompt of this size. Of a longer thread the oldest part is left out. */
const mostLength = 200_000

const before =
  'This conversation began with another agent, which is gone. What was said and done so far follows, then what is asked of you now.'
const cut = 'The oldest part is left out.'
const after = 'What is asked of you now:'

export async function writeEarlierText(directory: string, text: string): Promise<void> {
  const kept = text.length <= mostLength ? text : `${cut}\n\n${text.slice(-mostLength)}`
  await writeFile(fileIn(directory), kept, { mode: 0o600 })
}

/** Returns the run unchanged if there is no earlier text for its first prompt. */
export function withEarlierText(run: Run, directory: string): Run {
  const file = fileIn(directory)
  if (!existsSync(file)) return run
  let isTold = false
  const telling = Object.create(run) as Run
  telling.prompt = async (text, signal) => {
    if (isTold) return run.prompt(text, signal)
    const earlier = await readFile(file, 'utf8')
    const delivery = await run.prompt(`${before}\n\n${earlier}\n\n${after}\n\n${text}`, signal)
    if (delivery.delivered) {
      isTold = true
      await rm(file, { force: true })
    }
    return delivery
  }
  return telling
}

function fileIn(directory: string): string {
  return join(directory, 'earlier-thread.md')
}

/** Asks the person before something is done. Where nobody is there to answer, the answer is no. */
import { createInterface } from 'node:readline/promises'
import type { CliContext } from './command.ts'

export async function agrees(question: string, context: CliContext): Promise<boolean> {
  if (!context.display() || !process.stdin.isTTY) return false
  const person = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^\s*y(?:es)?\s*$/i.test(await person.question(`${question} [y/N] `))
  } finally {
    person.close()
  }
}

/** Asks the person to confirm. Without a terminal the answer is no. */
import { createInterface } from 'node:readline/promises'
import type { CliContext } from '../command/command.ts'
import { printable } from './printable.ts'

export async function confirm(question: string, context: CliContext): Promise<boolean> {
  if (!context.display() || !process.stdin.isTTY) return false
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^\s*y(?:es)?\s*$/i.test(await terminal.question(`${printable(question)} [y/N] `))
  } finally {
    terminal.close()
  }
}

/** Writes to a program that may read slowly: waits until it has read what it got before. */
import { setTimeout } from 'node:timers/promises'
import { HubError } from '../../base/hub-error.ts'
import type { PipedProgram } from '../../terminal/terminal.ts'

const retryMs = 1_000

/** Resolves when the text is recorded. Throws if the program takes no more input, or if the signal fires. */
export async function writeWhenRead(
  program: PipedProgram,
  text: string,
  { options, signal }: { readonly options: Parameters<PipedProgram['write']>[1]; readonly signal: AbortSignal },
): Promise<void> {
  for (;;) {
    try {
      await program.write(text, options)
      return
    } catch (error) {
      if (!(error instanceof HubError && error.code === 'busy') || signal.aborted) throw error
      await setTimeout(retryMs, undefined, { signal })
    }
  }
}

import { CliError } from './cli-error.ts'

/** Reads bytes as text. Refuses bytes that are not UTF-8, because replacing them would change what the person wrote. */
export function utf8Text(bytes: Uint8Array, from: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    const advice = 'Convert it, for example with "iconv -f latin1 -t utf-8".'
    throw new CliError('failed', `${from} is not UTF-8 text. ${advice}`, { cause: error })
  }
}

/** Compares what a command printed with what a page says it prints. */
import { expect } from 'vitest'

export interface Printed {
  readonly out: string
  /** Not compared; it says why where the output is another. */
  readonly err: string
}

/** `…` stands for anything within a line; a line of nothing else stands for any number of lines. */
export function isPrinted(expected: string, actual: string): boolean {
  const lines = expected.trimEnd().split('\n')
  const pattern = lines.map((line) => (line === '…' ? '(?:.*\\n)*' : `${escaped(line)}\\n`)).join('')
  return new RegExp(`^${pattern}$`).test(`${actual.trimEnd()}\n`)
}

/** Shows the difference where there is one. */
export function assertPrinted(expected: string, { out, err }: Printed): void {
  const actual = onUsualPort(out)
  if (!isPrinted(expected, actual)) expect(actual.trimEnd(), err).toBe(expected.trimEnd())
}

/** Tests let the hub take any port; pages name the usual one. */
function onUsualPort(text: string): string {
  return text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:7420')
}

function escaped(line: string): string {
  return line
    .split('…')
    .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`))
    .join('.*')
}

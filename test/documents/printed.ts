/** Compares the output of a command with the output that a page shows. */
import { expect } from 'vitest'

export interface Printed {
  readonly out: string
  /** Not compared. It explains a different output. */
  readonly err: string
}

/** `…` matches anything within a line. A line that is only `…` matches any number of lines. */
export function isPrinted(expected: string, actual: string): boolean {
  const lines = expected.trimEnd().split('\n')
  const pattern = lines.map((line) => (line === '…' ? '(?:.*\\n)*' : `${escaped(line)}\\n`)).join('')
  return new RegExp(`^${pattern}$`).test(`${actual.trimEnd()}\n`)
}

/** Fails with the difference if there is one. */
export function assertPrinted(expected: string, { out, err }: Printed): void {
  const actual = onUsualPort(out)
  if (!isPrinted(expected, actual)) expect(actual.trimEnd(), err).toBe(expected.trimEnd())
}

/** In tests the hub takes any free port. Pages show the default port. */
function onUsualPort(text: string): string {
  return text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:7420')
}

function escaped(line: string): string {
  return line
    .split('…')
    .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`))
    .join('.*')
}

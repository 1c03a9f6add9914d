import { expect, test } from 'vitest'
import { readSteps } from './page-steps.ts'

const block = (info: string, text: string) => `Words.\n\n\`\`\`${info}\n${text}\n\`\`\`\n\n`

test('a page is its marked blocks, in order; the others are for reading', () => {
  const page = [
    block('sh background', 'serve'),
    block('text output', 'ready'),
    block('sh', 'rm -rf everything'),
    block('ts file=a.ts', 'export {}'),
    block('sh run', 'ask'),
    block('text background', 'asked'),
  ]
  expect(readSteps(page.join(''))).toEqual([
    { is: 'start', command: 'serve\n', prints: 'ready\n' },
    { is: 'write', path: 'a.ts', text: 'export {}\n' },
    { is: 'run', command: 'ask\n' },
    { is: 'look', prints: 'asked\n' },
  ])
})

test('a misspelt mark, and an output without a command, are told', () => {
  expect(() => readSteps(block('sh runn', 'ask'))).toThrow('"sh runn"')
  expect(() => readSteps(block('text output', 'ready'))).toThrow('follows no command')
})

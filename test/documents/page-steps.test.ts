import { expect, test } from 'vitest'
import { readSteps } from './page-steps.ts'

const block = (info: string, text: string) => `Words.\n\n\`\`\`${info}\n${text}\n\`\`\`\n\n`

test('reads the marked blocks of a page in order and skips the others', () => {
  const page = [
    block('sh background', 'serve'),
    block('text output', 'ready'),
    block('yaml', 'port: 7500'),
    block('sh shown=it needs a login', 'rm -rf everything'),
    block('sh terminal=Ctrl+]', 'attach'),
    block('ts file=a.ts', 'export {}'),
    block('sh run', 'ask'),
    block('text background', 'asked'),
  ]
  expect(readSteps(page.join(''))).toEqual([
    { is: 'start', command: 'serve\n', prints: 'ready\n' },
    { is: 'leave', command: 'attach\n', key: 'Ctrl+]' },
    { is: 'write', path: 'a.ts', text: 'export {}\n' },
    { is: 'run', command: 'ask\n' },
    { is: 'look', prints: 'asked\n' },
  ])
})

test('reports a misspelt mark and an output without a command', () => {
  expect(() => readSteps(block('sh runn', 'ask'))).toThrow('"sh runn"')
  expect(() => readSteps(block('text output', 'ready'))).toThrow('follows no command')
})

test.each(['sh', 'sh shown=', ''])('reports commands without a mark: "%s"', (info) => {
  expect(() => readSteps(block(info, 'ask'))).toThrow(`"${info}"`)
})

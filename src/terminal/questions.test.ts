/** The hub answers each question of a program to its terminal once, even if several hubs are attached. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readAll, shellLine } from '../../test/worlds/held-program.ts'
import { shownOn, testTerminals, untilShown } from '../../test/worlds/terminals.ts'
import { until } from '../../test/fixtures/until.ts'

/** Queries the cursor after each input, and prints everything it gets in half a second, with `E` for escape. */
const asker = shellLine(
  `stty raw -echo; while true; do printf 'type\\r\\n'; head -c 1 > /dev/null; printf '\\033[6n'; ` +
    `timeout --foreground 0.5 cat | tr '\\033' E; printf ' got\\r\\n'; done`,
)

function answersIn(text: string): readonly string[] {
  return text.match(/E\[\d+;\d+R/g) ?? []
}

test('a question is answered once, even if several hubs are attached', async () => {
  const terminals = testTerminals()
  const first = await terminals.start('t', asker)
  await untilShown(first, 'type')
  const second = await terminals.adopt('t')
  await untilShown(second, 'type')
  first.write(Buffer.from('x'))
  await untilShown(first, 'got')
  first.write(Buffer.from('x'))
  const text = await until(() => {
    const shown = first.readOutput(0, 100_000).bytes.toString()
    return shown.split('got').length === 3 && shown
  })
  expect(answersIn(text)).toEqual(['E[2;1R', 'E[4;1R'])
})

test('a hub that reads a question in the journal does not answer it again', async () => {
  const terminals = testTerminals()
  const first = await terminals.start('t', asker)
  await untilShown(first, 'type')
  first.write(Buffer.from('x'))
  await untilShown(first, 'got')
  first.release()
  const second = await terminals.adopt('t')
  await untilShown(second, 'got')
  second.write(Buffer.from('x'))
  const text = await until(() => {
    const shown = second.readOutput(0, 100_000).bytes.toString()
    return shown.split('got').length === 3 && shown
  })
  expect(answersIn(text)).toEqual(['E[2;1R', 'E[4;1R'])
})

test('the next hub answers a question that was asked without a hub', async () => {
  const terminals = testTerminals()
  const program = shellLine(
    `stty raw -echo; printf 'type\\r\\n'; head -c 1 > /dev/null; printf '\\033[6n'; head -c 6 | tr '\\033' E; read x`,
  )
  const first = await terminals.start('t', program)
  await untilShown(first, 'type')
  first.write(Buffer.from('x'))
  first.release()
  const second = await terminals.adopt('t')
  expect(answersIn(await untilShown(second, 'R'))).toEqual(['E[2;1R'])
})

test('an old question, for which the program no longer waits, is not answered', async () => {
  const terminals = testTerminals()
  const go = join(terminals.directory, 'go')
  const program = shellLine(
    `stty raw -echo; printf 'type\\r\\n'; head -c 1 > /dev/null; printf '\\033[6n'; ` +
      `until test -e ${go}; do sleep 0.05; done; timeout --foreground 0.5 cat | tr '\\033' E; printf 'done\\r\\n'; read x`,
  )
  const first = await terminals.start('t', program)
  await untilShown(first, 'type')
  first.write(Buffer.from('x'))
  first.release()
  const journal = join(first.directory, 'journal')
  await until(() => readAll(journal).includes('\x1b[6n'))
  const index = join(journal, '0000000000000000.ndjson')
  writeFileSync(index, readFileSync(index, 'utf8').replaceAll(/"at":\d+/g, `"at":${Date.now() - 60_000}`))
  const second = await terminals.adopt('t')
  expect(shownOn(second)).toBe('type')
  writeFileSync(go, '')
  expect(await untilShown(second, 'done')).toBe('type\ndone')
})

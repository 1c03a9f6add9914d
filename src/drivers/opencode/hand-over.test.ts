import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import type { HandOverProgram } from '../port/hand-over.ts'
import { handOverToOpencode } from './hand-over.ts'

const recent = JSON.stringify({ recent: [{ providerID: 'b', modelID: 'two' }] })
const thread = { messagesIn: () => [{ role: 'user', content: 'an earlier prompt' }], asText: () => '' }

/** The model with which opencode continues the thread. */
async function modelWith(put: (file: string, home: string) => void): Promise<unknown> {
  const home = temporaryDirectory()
  const folder = join(home, '.local/state/opencode')
  mkdirSync(folder, { recursive: true })
  put(join(folder, 'model.json'), home)
  let imported = ''
  const run = async ({ args: [verb, file] }: HandOverProgram): Promise<string> => {
    if (verb === 'models') return 'a/one\nb/two\n'
    if (verb === 'import') imported = readFileSync(file!, 'utf8')
    return imported
  }
  const place = { directory: home, workspacePath: home, env: { HOME: home }, model: undefined, run }
  await handOverToOpencode(thread, place)
  const { messages } = JSON.parse(imported) as { messages: { info: { model: unknown } }[] }
  return messages[0]?.info.model
}

test('opencode continues with the model that it used last', async () => {
  expect(await modelWith((file) => writeFileSync(file, recent))).toEqual({ providerID: 'b', modelID: 'two' })
})

test.each<[string, (file: string, home: string) => void]>([
  [
    'a link',
    (file, home) => {
      writeFileSync(join(home, 'private.json'), recent)
      symlinkSync(join(home, 'private.json'), file)
    },
  ],
  ['a pipe', (file) => void execFileSync('mkfifo', [file])],
])('%s that an agent left is not read', async (_, put) => {
  expect(await modelWith(put)).toEqual({ providerID: 'a', modelID: 'one' })
})

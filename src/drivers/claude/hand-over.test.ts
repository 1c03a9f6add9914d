import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { handOverToClaude } from './hand-over.ts'

const thread = { messagesIn: () => [{ role: 'user', content: 'an earlier prompt' }], asText: () => '' }

function open() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-hand-over-')))
  const workspacePath = join(home, 'work')
  const directory = join(home, 'session')
  const outside = join(home, '.bashrc.d')
  for (const folder of [workspacePath, directory, outside]) mkdirSync(folder)
  const project = workspacePath.replaceAll(/[^a-zA-Z0-9]/g, '-')
  const handOver = () =>
    handOverToClaude(thread, { directory, workspacePath, env: { HOME: home }, model: undefined, run: async () => '' })
  return { home, outside, project, handOver }
}

test('the thread becomes a transcript that only its owner reads', async () => {
  const { home, project, handOver } = open()
  const { conversation } = await handOver()
  const folder = join(home, '.claude/projects', project)
  expect(readFileSync(join(folder, `${conversation}.jsonl`), 'utf8')).toContain('an earlier prompt')
  expect(statSync(join(folder, `${conversation}.jsonl`)).mode & 0o777).toBe(0o600)
  for (const each of [folder, join(home, '.claude/projects')]) expect(statSync(each).mode & 0o777).toBe(0o700)
})

test.each(['projects', 'the folder of the project'])('%s that is a link receives nothing', async (which) => {
  const { home, outside, project, handOver } = open()
  const projects = join(home, '.claude/projects')
  mkdirSync(which === 'projects' ? join(home, '.claude') : projects, { recursive: true })
  symlinkSync(outside, which === 'projects' ? projects : join(projects, project))
  await expect(handOver()).rejects.toThrow('a symbolic link or a file is in the way')
  expect(readdirSync(outside)).toEqual([])
})

test('the folder of settings may be a link of the person', async () => {
  const { home, outside, project, handOver } = open()
  symlinkSync(outside, join(home, '.claude'))
  const { conversation } = await handOver()
  expect(existsSync(join(outside, 'projects', project, `${conversation}.jsonl`))).toBe(true)
})

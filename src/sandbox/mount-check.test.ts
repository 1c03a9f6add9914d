/** In real sandboxes: between the hub's look and the mount, an agent exchanges what is mounted. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { requiresAll } from '../../test/harness/requires.ts'
import { readOnlyGit } from '../git/git.ts'
import { confine } from './confine.ts'
import type { HubPlaces } from './confine.ts'
import { checkLines } from './mount-check.ts'
import { probe } from './probe.ts'

const { describe } = requiresAll('bwrap')
const mark = 'Zanzibar'

/** The workspace of this session is inside that of an agent, which also writes the folder `agent`. */
async function start() {
  const here = await probe(temporaryDirectory())
  if (here.is === 'missing') throw new Error(here.reason)
  const home = realpathSync(temporaryDirectory())
  const at = (path: string) => join(home, path)
  const put = (path: string, text: string) => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), text)
  }
  for (const file of ['outer/inner/note', "outer/it's mine/note", 'outer/one', 'outer/back\\slash/note'])
    put(file, 'mine')
  put('.ssh/note', mark)
  // The target of a link looks like what it replaces.
  for (const folder of ['outer/inner', '.ssh'])
    for (const file of ['config', 'hooks/note']) put(`${folder}/.git/${file}`, '')
  put('hub/token', mark)
  mkdirSync(at('hub/workspaces'))
  const places: HubPlaces = {
    dataDirectory: at('hub'),
    socketDirectories: [],
    runtimeDirectory: undefined,
    workspaces: at('hub/workspaces'),
    package: '/usr',
    node: '/usr/bin/true',
    hubSocket: '',
    port: 1,
    proofOf: () => '',
  }
  const look = (write: readonly string[] = [], read: readonly string[] = []) =>
    confine({
      sandbox: { write: [...write], read: [...read], network: 'all', nested: false },
      tools: here.tools,
      limits: here.limits,
      guarded: { ofPath: [], ofPrograms: [], packages: [] },
      socat: undefined,
      places,
      needs: {
        program: { file: '/bin/sh', env: { HOME: home, PATH: '/usr/bin:/bin' } },
        workspace: at('outer/inner'),
        git: readOnlyGit(at('outer/inner')),
        files: [],
        hub: undefined,
      },
      agentPlaces: [at('outer')],
    })
  const run = (confinement: ReturnType<typeof look>, script: string) => {
    const program = {
      file: '/bin/sh',
      args: ['-c', script],
      cwd: at('outer/inner'),
      env: { HOME: home, PATH: '/usr/bin:/bin' },
    }
    const { file, args, ...options } = confinement.wrap(program, at('hub'))
    return spawnSync(file, [...args], { ...options, encoding: 'utf8' })
  }
  return { at, look, run }
}

describe('what an agent exchanges while a sandbox is made', () => {
  test('is no reason against a sandbox in which nothing was exchanged', async () => {
    const { at, look, run } = await start()
    const [quote, slash] = [at("outer/it's mine"), at('outer/back\\slash')]
    const { stdout, stderr, status } = run(look([quote, '~/outer/made/'], [slash, at('outer/one')]), 'cat note; exit 7')
    expect({ stdout, stderr, status }).toEqual({ stdout: 'mine', stderr: '', status: 7 })
  })

  test.each([
    ['the workspace', 'outer/inner'],
    ['a folder that the sandbox names to write', "outer/it's mine"],
    ['a folder that it names to read', 'outer/back\\slash'],
    ['a file', 'outer/one'],
  ])('is not shown: %s becomes a link', async (_, path) => {
    const { at, look, run } = await start()
    const confinement = look([at("outer/it's mine")], [at('outer/back\\slash'), at('outer/one')])
    renameSync(at(path), at('aside'))
    symlinkSync(path === 'outer/one' ? at('.ssh/note') : at('.ssh'), at(path))
    const { stdout, stderr, status } = run(
      confinement,
      `cat '${at('.ssh/note')}' note "${at(path)}/note" "${at(path)}"`,
    )
    expect(stdout).not.toContain(mark)
    expect(stderr).toContain('exchanged while the sandbox was made')
    expect(status).toBe(125)
  })

  test('is not shown: a folder on the way becomes a link, and the target has what was there', async () => {
    const { at, look, run } = await start()
    mkdirSync(at('outer/way/cache'), { recursive: true })
    mkdirSync(at('.ssh/cache'))
    const confinement = look([at('outer/way/cache')])
    renameSync(at('outer/way'), at('aside'))
    symlinkSync(at('.ssh'), at('outer/way'))
    expect(run(confinement, 'true').status).toBe(125)
  })

  test('does not stay writable: the place of a read-only mount is moved away', async () => {
    const { at, look, run } = await start()
    const confinement = look()
    renameSync(at('outer/inner/.git'), at('outer/inner/kept'))
    symlinkSync('kept', at('outer/inner/.git'))
    expect(run(confinement, 'echo 1 > .git/config').status).toBe(125)
  })

  test('is looked at by the session that starts, too', async () => {
    const { at, look } = await start()
    rmSync(at('outer/inner'), { recursive: true })
    symlinkSync(at('.ssh'), at('outer/inner'))
    expect(() => look()).toThrow('an agent may have replaced it')
  })
})

test('nothing is checked where no agent can exchange anything', () => {
  expect(checkLines([], () => '')).toEqual([])
})

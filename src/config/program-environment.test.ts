import { expect, test } from 'vitest'
import { passedOn, programEnvironment } from './program-environment.ts'

test('programs see what makes a shell feel at home, and nothing that is the hub’s or secret', () => {
  const kept = {
    HOME: '/home/a',
    LANG: 'C.UTF-8',
    SSH_AUTH_SOCK: '/run/agent',
    EDITOR: 'vi',
    XDG_RUNTIME_DIR: '/run/user/1',
  }
  const dropped = {
    SIGNALBOX_TOKEN: 'a',
    SIGNALBOX_HOME: 'b',
    DATABASE_URL: 'postgres://user:c@host/db',
    OPENAI_API_KEY: 'd',
    GITHUB_TOKEN: 'e',
    db_password: 'f',
    AWS_SECRET_ACCESS_KEY: 'g',
    npm_config_registry: 'h',
    NODE_OPTIONS: '--inspect',
    TMUX: '/tmp/tmux,1,0',
    TERM: 'dumb',
    COLUMNS: '20',
    UNSET: undefined,
  }
  expect(programEnvironment({ ...kept, ...dropped, PATH: '/bin' })).toEqual({ ...kept, PATH: '/bin' })
})

test('the folders that npm puts before the person’s own are not on the PATH', () => {
  const path =
    '/a/node_modules/.bin:/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin:/home/a/bin:/usr/bin'
  expect(programEnvironment({ PATH: path })['PATH']).toBe('/home/a/bin:/usr/bin')
  expect(programEnvironment({})['PATH']).toBe('/usr/bin:/bin')
})

test('a template gets the secrets it names, and never those of the hub', () => {
  const env = { OPENAI_API_KEY: 'd', GITHUB_TOKEN: 'e', SIGNALBOX_TOKEN: 'a', DATABASE_URL: 'b' }
  expect(passedOn(env, ['OPENAI_API_KEY', 'SIGNALBOX_TOKEN', 'DATABASE_URL', 'NOT_SET'])).toEqual({
    OPENAI_API_KEY: 'd',
  })
})

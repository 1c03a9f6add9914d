import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { passedOn, programEnvironment, upstreamEnvironment, withoutVariables } from './program-environment.ts'

test('programs see the variables that a shell needs, and none that belong to the hub or are secret', () => {
  const kept = {
    HOME: '/home/a',
    LANG: 'C.UTF-8',
    SSH_AUTH_SOCK: '/run/agent',
    EDITOR: 'vi',
    XDG_RUNTIME_DIR: '/run/user/1',
    GIT_ASKPASS: '/usr/bin/ask',
    TLS_BYPASS: 'no',
    CA: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    SEARCH: 'https://search.example/?q=token&page=2',
    EXAMPLE: 'a?token=b',
    MANPATH: '/usr/share/man',
    DOCS: 'https://docs.example:8080/a@b',
    HTTPS_PROXY: 'http://me:hunter2@proxy.example:3128',
  }
  const dropped = {
    SIGNALBOX_TOKEN: 'a',
    SIGNALBOX_HOME: 'b',
    DATABASE_URL: 'postgres://user:c@host/db',
    OPENAI_API_KEY: 'd',
    GITHUB_TOKEN: 'e',
    db_password: 'f',
    GH_PAT: 'a',
    PGPASSWORD: 'b',
    DB_PASS: 'c',
    MYSQL_PWD: 'd',
    SMTP_PASSWD: 'e',
    SSH_KEY_PASSPHRASE: 'f',
    REGISTRY_AUTH: 'g',
    SSHPASS: 'h',
    pgpass: 'i',
    KEYCLOAK_ADMIN_PW: 'j',
    ADMINPW: 'k',
    JWT: 'l',
    SUPABASE_JWT: 'm',
    DOCKER_AUTH_CONFIG: '{"auths":{}}',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=n',
    SIGNING: '-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----',
    DEPLOY: '-----BEGIN OPENSSH PRIVATE KEY-----\\nb3Bl',
    RELEASE: '-----BEGIN PGP PRIVATE KEY BLOCK-----',
    HOOK: 'https://hooks.example/deploy?id=1&access_token=abc',
    FEED: 'https://feed.example/#auth=abc',
    QUEUE: 'amqp://worker:hunter2@queue.example/jobs',
    CACHES: 'a=redis://:hunter2@one:6379,b=redis://two',
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

test('removes the folders that npm put on the PATH and keeps the person’s own', () => {
  const gyp = '/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin'
  const own = '/home/a/tools/node_modules/.bin:/home/a/bin:/usr/bin'
  const pathOf = (PATH: string) => programEnvironment({ PATH })['PATH']
  expect(pathOf(`/a/node_modules/.bin:/node_modules/.bin:${gyp}:${own}`)).toBe(own)
  // An npm script that starts another.
  expect(pathOf(`/a/node_modules/.bin:${gyp}:/b/node_modules/.bin:/usr/share/nodejs/x/node-gyp-bin:${own}`)).toBe(own)
  // A folder that an npm script added itself.
  expect(pathOf(`/added:/a/node_modules/.bin:${gyp}:${own}`)).toBe(`/added:${own}`)
  expect(pathOf(own)).toBe(own)
  expect(programEnvironment({})['PATH']).toBe('/usr/bin:/bin')
})

test('removes the folders that a real npm puts on the PATH', () => {
  const folder = temporaryDirectory()
  writeFileSync(join(folder, 'package.json'), '{"scripts": {"show": "echo $PATH"}}')
  // These tests may themselves run under npm.
  const persons = programEnvironment(process.env)['PATH']
  const own = `${folder}/own/node_modules/.bin:${dirname(process.execPath)}:${persons}`
  const env = { ...process.env, PATH: own }
  const output = execFileSync('npm', ['run', '--silent', 'show'], { cwd: folder, env, encoding: 'utf8' }).trim()
  expect(output).not.toBe(own)
  expect(programEnvironment({ PATH: output })['PATH']).toBe(own)
})

test('programs get a UTF-8 locale if none is set', () => {
  expect(programEnvironment({ PATH: '/bin' })['LANG']).toBe('C.UTF-8')
  expect(programEnvironment({ PATH: '/bin', LANG: '' })['LANG']).toBe('C.UTF-8')
  expect(programEnvironment({ PATH: '/bin', LANG: '', LC_CTYPE: 'de_DE.UTF-8' })['LANG']).toBe('')
  expect(programEnvironment({ PATH: '/bin', LC_ALL: 'C' })['LANG']).toBe(undefined)
  expect(upstreamEnvironment({ PATH: '/bin' })).toEqual({ PATH: '/bin', LANG: 'C.UTF-8' })
})

test('leaves out variables that connectors name, except those that every program needs', () => {
  const env = programEnvironment({ PATH: '/bin', HOME: '/home/a', LANG: 'C', WEATHER: 'sunny', EDITOR: 'vi' })
  expect(withoutVariables(env, new Set(['WEATHER', 'HOME', 'PATH', 'OTHER']))).toEqual({
    PATH: '/bin',
    HOME: '/home/a',
    LANG: 'C',
    EDITOR: 'vi',
  })
})

test('a template gets the secrets it names, but never those of the hub', () => {
  const env = { OPENAI_API_KEY: 'd', GITHUB_TOKEN: 'e', SIGNALBOX_TOKEN: 'a', DATABASE_URL: 'b' }
  expect(passedOn(env, ['OPENAI_API_KEY', 'SIGNALBOX_TOKEN', 'DATABASE_URL', 'NOT_SET'])).toEqual({
    OPENAI_API_KEY: 'd',
  })
})

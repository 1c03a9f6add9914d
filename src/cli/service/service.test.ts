import { mkdirSync, existsSync, readFileSync, symlinkSync, writeFileSync, lstatSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runInProcess } from '../../../test/fixtures/run-cli.ts'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import { signalboxProgram } from '../../base/package-files.ts'
import { faultsOf, readUnit, renderUnit } from './service-unit.ts'

describe('signalbox service install', () => {
  test('writes a user unit that starts this installation and does not kill its terminals', async () => {
    const { env, path } = machineUser()
    const { code, out } = await runInProcess(['service', 'install'], { env })
    expect(code).toBe(0)
    const unit = parseUnit(readFileSync(path, 'utf8'))
    expect(unit).toMatchObject({
      Service: {
        ExecStart: `${signalboxProgram} up`,
        KillMode: 'process',
        Restart: 'on-failure',
        RestartPreventExitStatus: '2 7',
        StandardOutput: 'null',
      },
      Install: { WantedBy: 'default.target' },
    })
    expect(unit['Service']).toMatchObject({ Environment: `PATH=${env.PATH}` })
    expect(out).toBe(
      [
        `Wrote ${path}. Now run:`,
        '  systemctl --user daemon-reload',
        '  systemctl --user enable --now signalbox.service',
      ].join('\n'),
    )
  })

  test('names the data directory when it is not the default one, and no secret', async () => {
    const { env, path } = machineUser()
    const secrets = { SIGNALBOX_TOKEN: 'sb_human_secret', DATABASE_URL: 'postgres://me:hunter2@db/x' }
    await runInProcess(['service', 'install'], { env: { ...env, ...secrets, SIGNALBOX_HOME: '/srv/my box' } })
    const text = readFileSync(path, 'utf8')
    expect(environmentOf(text)).toEqual([`PATH=${env.PATH}`, '"SIGNALBOX_HOME=/srv/my box"'])
    expect(text).not.toMatch(/sb_human_secret|hunter2/)
  })

  test('captures the PATH, and no folder of it that means something else under systemd', async () => {
    const { env, path } = machineUser()
    const npm = '/x/node_modules/.bin:/npm/bin/node-gyp-bin'
    const PATH = `${npm}:/opt/my tools:bin::.:/opt/100%:/opt/my tools:/odd\nExecStart=/evil:/usr/bin`
    await runInProcess(['service', 'install'], { env: { ...env, PATH } })
    const text = readFileSync(path, 'utf8')
    expect(environmentOf(text)).toEqual(['"PATH=/opt/my tools:/opt/100%%:/usr/bin"'])
    expect(readUnit(path)?.searchPath).toBe('/opt/my tools:/opt/100%:/usr/bin')
    expect(text).not.toContain('evil')
  })

  test('does not replace a unit that differs, unless forced', async () => {
    const { env, path } = machineUser()
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '[Service]\nExecStart=/mine\n')
    const refused = await runInProcess(['service', 'install'], { env })
    expect(refused.code).toBe(1)
    expect(refused.err).toContain(`${path} exists and differs.`)
    expect(readFileSync(path, 'utf8')).toContain('/mine')

    expect((await runInProcess(['service', 'install', '--force'], { env })).code).toBe(0)
    expect(readFileSync(path, 'utf8')).not.toContain('/mine')
    expect((await runInProcess(['service', 'install'], { env })).code, 'the same unit is not a conflict').toBe(0)
  })

  test('writes nothing with --print', async () => {
    const { env, path } = machineUser()
    const { code, out } = await runInProcess(['service', 'install', '--print'], { env })
    expect(code).toBe(0)
    expect(parseUnit(out)['Service']).toMatchObject({ KillMode: 'process' })
    expect(existsSync(path)).toBe(false)
  })

  test('prints a unit for the machine, and writes it only to a given path', async () => {
    const { env, home } = machineUser()
    const printed = await runInProcess(['service', 'install', '--system'], { env })
    expect(parseUnit(printed.out)).toMatchObject({
      Service: { User: userInfo().username, KillMode: 'process' },
      Install: { WantedBy: 'multi-user.target' },
    })
    const underSudo = await runInProcess(['service', 'install', '--system'], { env: { ...env, SUDO_USER: 'ada' } })
    expect(parseUnit(underSudo.out)['Service']).toMatchObject({ User: 'ada' })
    const path = join(home, 'etc', 'signalbox.service')
    expect((await runInProcess(['service', 'install', '--system', '--path', path], { env })).code).toBe(0)
    expect(readFileSync(path, 'utf8').trimEnd()).toBe(printed.out)
  })
})

describe('signalbox service uninstall', () => {
  test('removes the unit and the links of systemctl enable', async () => {
    const { env, path } = machineUser()
    await runInProcess(['service', 'install'], { env })
    const link = join(dirname(path), 'default.target.wants', 'signalbox.service')
    mkdirSync(dirname(link))
    symlinkSync(path, link)
    const { code, out } = await runInProcess(['service', 'uninstall'], { env })
    expect(code).toBe(0)
    expect(out).toContain('systemctl --user stop signalbox.service')
    expect(existsSync(path)).toBe(false)
    expect(() => lstatSync(link)).toThrow('ENOENT')
  })

  test('keeps a unit that was written by hand, unless forced', async () => {
    const { env, path } = machineUser()
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '[Service]\nExecStart=/mine\n')
    expect((await runInProcess(['service', 'uninstall'], { env })).code).toBe(1)
    expect(existsSync(path)).toBe(true)
    expect((await runInProcess(['service', 'uninstall', '--force'], { env })).code).toBe(0)
    expect(existsSync(path)).toBe(false)
  })

  test('succeeds when there is nothing to remove', async () => {
    const { env } = machineUser()
    const { code, out } = await runInProcess(['service', 'uninstall'], { env })
    expect(code).toBe(0)
    expect(out).toContain('There is no unit')
  })
})

describe('signalbox service status', () => {
  test('shows the installed unit and its problems', async () => {
    const { env, path } = machineUser()
    expect((await runInProcess(['service', 'status'], { env })).out).toContain('user: not installed')
    await runInProcess(['service', 'install'], { env })
    expect((await runInProcess(['service', 'status'], { env })).out).toContain(`user: ${path}, `)
    writeFileSync(path, readFileSync(path, 'utf8').replace('KillMode=process\n', ''))
    const { out } = await runInProcess(['service', 'status', '--json'], { env })
    expect(JSON.parse(out).units[0]).toMatchObject({
      scope: 'user',
      installed: true,
      faults: [{ says: expect.stringContaining('KillMode=control-group') }],
    })
  })
})

test('signalbox service status says that systemd does not answer', async () => {
  const { env, home, path } = machineUser()
  await runInProcess(['service', 'install'], { env })
  placeProgram(join(home, 'bin'), 'systemctl', 'echo "Failed to connect to bus: No medium found" >&2; exit 1')
  const { out } = await runInProcess(['service', 'status'], { env: { ...env, PATH: `${env.PATH}:/usr/bin:/bin` } })
  expect(out).toContain(`user: ${path}, state unknown: systemctl says "Failed to connect to bus: No medium found"\n`)
})

describe('the captured PATH', () => {
  test('is a problem when it no longer finds an agent that the current one finds', async () => {
    const { env, home, path } = machineUser()
    await runInProcess(['service', 'install'], { env })
    placeAgent(join(home, 'bin'), 'claude')
    const faults = async (PATH: string) => {
      const { out } = await runInProcess(['service', 'status', '--json'], { env: { ...env, PATH } })
      return JSON.parse(out).units[0].faults
    }
    expect(await faults(`${env.PATH}:/usr/bin`), 'both find claude, and neither finds another agent').toEqual([])

    const later = join(home, 'later')
    placeAgent(later, 'codex')
    placeAgent(later, 'claude')
    expect(await faults(later)).toEqual([
      {
        says: `with the PATH of ${path} the hub does not find codex, which your PATH finds`,
        mend: expect.stringContaining('signalbox service install --force'),
      },
    ])
    const shown = await runInProcess(['service', 'status'], { env: { ...env, PATH: later } })
    expect(shown.out).toContain('does not find codex')

    await runInProcess(['service', 'install', '--force'], { env: { ...env, PATH: later } })
    expect(await faults(later)).toEqual([])
  })

  test('is the short one of systemd in a unit that sets none', async () => {
    const { env, home, path } = machineUser()
    await runInProcess(['service', 'install'], { env })
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^Environment=PATH.*\n/m, ''))
    placeAgent(join(home, 'bin'), 'gemini')
    const { out } = await runInProcess(['service', 'status'], { env })
    expect(out).toContain('does not find gemini, which your PATH finds')
  })
})

describe('a unit', () => {
  test('survives paths with blanks, quotes, dollars and percent signs', () => {
    const folder = temporaryDirectory()
    const bin = join(folder, `odd "100%" $HOME \\ bin`)
    const path = join(folder, 'signalbox.service')
    writeFileSync(bin, '')
    writeFileSync(path, renderUnit({ bin, searchPath: '/usr/bin', scope: { is: 'user' } }))
    const unit = readUnit(path)!
    expect(unit.text).toContain('odd \\"100%%\\" $$HOME \\\\ bin" up')
    expect(unit.program).toBe(bin)
    expect(faultsOf(unit, bin)).toEqual([])
  })

  test('is correct if it starts this installation through a symbolic link', () => {
    const folder = temporaryDirectory()
    const link = join(folder, 'signalbox')
    symlinkSync(signalboxProgram, link)
    const path = join(folder, 'signalbox.service')
    writeFileSync(path, renderUnit({ bin: link, searchPath: '/usr/bin', scope: { is: 'user' } }))
    expect(faultsOf(readUnit(path)!, signalboxProgram)).toEqual([])
  })
})

/** A user with their own home directory, and the path of their unit. */
function machineUser() {
  const home = temporaryDirectory()
  const env = { HOME: home, PATH: join(home, 'bin') }
  return { home, env, path: join(home, '.config/systemd/user/signalbox.service') }
}

function placeAgent(folder: string, name: string): void {
  placeProgram(folder, name, '')
}

function placeProgram(folder: string, name: string, script: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

function environmentOf(text: string): string[] {
  return [...text.matchAll(/^Environment=(.*)$/gm)].map(([, value = '']) => value)
}

function parseUnit(text: string): Record<string, Record<string, string>> {
  const unit: Record<string, Record<string, string>> = {}
  let section: Record<string, string> = {}
  for (const line of text.split('\n')) {
    const [, name] = /^\[(\w+)\]$/.exec(line) ?? []
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? []
    if (name !== undefined) section = unit[name] = {}
    else if (key !== undefined && value !== undefined) section[key] = value
    else expect(line).toMatch(/^(#.*)?$/)
  }
  return unit
}

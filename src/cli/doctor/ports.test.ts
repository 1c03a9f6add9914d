import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../test/fixtures/ports.ts'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import { shippedHub } from '../../../test/worlds/hub-process.ts'
import { startOwnHub } from '../../../test/worlds/own-hub.ts'
import { loadConfig, readEnvironment } from '../../config/config.ts'
import { checkPorts } from './ports.ts'

test('accepts a free port', async () => {
  const port = await freePort()
  expect(await check({ SIGNALBOX_PORT: String(port) })).toMatchObject([{ is: 'ok', says: `port: ${port} is free` }])
})

test('always accepts "any free port"', async () => {
  expect(await check({ SIGNALBOX_PORT: '0', SIGNALBOX_REPOSITORY_MCP_PORT: '0' })).toMatchObject([
    { is: 'ok' },
    { is: 'ok' },
  ])
})

test('names the program that uses the port, and says how to choose another port', async () => {
  const { port, pid } = await startListener()
  const home = temporaryDirectory()
  const [finding] = await check({ SIGNALBOX_HOME: home, SIGNALBOX_PORT: String(port) })
  expect(finding).toEqual({
    is: 'broken',
    about: 'ports',
    says: `port: ${port} on 127.0.0.1 is in use by node (pid ${pid}), which is not the hub of ${home}`,
    mend: `choose another port for the hub: set "port" in ${home}/config.yaml, or SIGNALBOX_PORT`,
  })
})

test('only notes that the port for repositories is in use', async () => {
  const { port } = await startListener()
  const findings = await check({ SIGNALBOX_PORT: '0', SIGNALBOX_REPOSITORY_MCP_PORT: String(port) })
  expect(findings[1]).toMatchObject({ is: 'note', advice: expect.stringContaining('SIGNALBOX_REPOSITORY_MCP_PORT') })
})

test('accepts a port that the running hub uses', async () => {
  const { port, pid } = await startListener()
  const home = temporaryDirectory()
  writeFileSync(join(home, 'hub.json'), JSON.stringify({ url: `http://127.0.0.1:${port}/mcp`, pid }))
  expect(await check({ SIGNALBOX_HOME: home, SIGNALBOX_PORT: String(port) })).toMatchObject([
    { is: 'ok', says: `port: ${port} is in use by the running hub (pid ${pid})` },
  ])
})

test('accepts a hub that runs on another port than the configured one, even if another program uses that one', async () => {
  const stranger = await startListener()
  await using hub = await startOwnHub({ program: shippedHub })
  const finding = { is: 'ok', says: `port: the running hub (pid ${hub.process.pid}) listens on ${hub.port}` }
  for (const port of [stranger.port, await freePort()]) {
    const env = { SIGNALBOX_HOME: hub.home, SIGNALBOX_PORT: String(port) }
    const [first, ...others] = await check(env)
    expect(first).toMatchObject(finding)
    expect(JSON.stringify(others)).not.toMatch(/kill|stop/)
    expect(others.filter(({ is }) => is === 'broken')).toEqual([])
  }
})

test('says which program will be in the way at the next start of a hub that runs on another port', async () => {
  const { port, pid } = await startListener()
  await using hub = await startOwnHub({ program: shippedHub })
  const findings = await check({ SIGNALBOX_HOME: hub.home, SIGNALBOX_PORT: String(port) })
  expect(findings[1]).toMatchObject({
    is: 'note',
    says: `port: ${port} on 127.0.0.1 is in use by node (pid ${pid}), which is not the hub of ${hub.home}`,
    advice: expect.stringContaining('choose another port for the hub'),
  })
})

test('does not mistake another process for the hub after a killed hub left its file behind', async () => {
  const { port, pid } = await startListener()
  const other = await startListener()
  const home = temporaryDirectory()
  writeFileSync(join(home, 'hub.json'), JSON.stringify({ url: `http://127.0.0.1:${other.port}/mcp`, pid: process.pid }))
  expect(await check({ SIGNALBOX_HOME: home, SIGNALBOX_PORT: String(port) })).toMatchObject([
    { is: 'broken', says: expect.stringContaining(`in use by node (pid ${pid})`) },
  ])
})

test('reports an address that does not belong to this machine', async () => {
  const port = await freePort()
  expect(await check({ SIGNALBOX_HOST: '192.0.2.1', SIGNALBOX_PORT: String(port) })).toMatchObject([
    {
      is: 'broken',
      says: '192.0.2.1 is not an address of this machine',
      mend: expect.stringContaining('SIGNALBOX_HOST'),
    },
  ])
})

async function check(env: Record<string, string>) {
  const defaults = { SIGNALBOX_HOME: temporaryDirectory(), SIGNALBOX_REPOSITORY_MCP_PORT: 'off' }
  return checkPorts({ config: loadConfig({ env: { ...defaults, ...env } }).config, env: readEnvironment() })
}

/** Starts another process that only listens. */
async function startListener(): Promise<{ port: number; pid: number }> {
  const script = `require('node:net').createServer().listen(0, '127.0.0.1', function () { console.log(this.address().port) })`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(child.stdout, 'data')
  return { port: Number(String(line).trim()), pid: child.pid! }
}

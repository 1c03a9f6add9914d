import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../test/fixtures/ports.ts'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import { loadConfig, readEnvironment } from '../../config/config.ts'
import { checkPorts } from './ports.ts'

test('free ports are good', async () => {
  const port = await freePort()
  expect(await check({ SIGNALBOX_PORT: String(port) })).toMatchObject([{ is: 'ok', says: `port: ${port} is free` }])
})

test('"any free port" is always good', async () => {
  expect(await check({ SIGNALBOX_PORT: '0', SIGNALBOX_REPOSITORY_MCP_PORT: '0' })).toMatchObject([
    { is: 'ok' },
    { is: 'ok' },
  ])
})

test('a port that another program holds is to be freed or changed, and the program is named', async () => {
  const { port, pid } = await startHolder()
  const [finding] = await check({ SIGNALBOX_PORT: String(port) })
  expect(finding).toMatchObject({
    is: 'broken',
    says: `port: ${port} on 127.0.0.1 is held by node (pid ${pid})`,
    mend: `stop it, "kill ${pid}", or choose another port with SIGNALBOX_PORT`,
  })
})

test('the port for repositories may be held by others, which is a note', async () => {
  const { port } = await startHolder()
  const findings = await check({ SIGNALBOX_PORT: '0', SIGNALBOX_REPOSITORY_MCP_PORT: String(port) })
  expect(findings[1]).toMatchObject({ is: 'note', advice: expect.stringContaining('SIGNALBOX_REPOSITORY_MCP_PORT') })
})

test('a port that the running hub holds is good', async () => {
  const { port, pid } = await startHolder()
  const home = temporaryDirectory()
  writeFileSync(join(home, 'hub.json'), JSON.stringify({ url: `http://127.0.0.1:${port}/mcp`, pid }))
  expect(await check({ SIGNALBOX_HOME: home, SIGNALBOX_PORT: String(port) })).toMatchObject([
    { is: 'ok', says: `port: ${port} is held by the running hub (pid ${pid})` },
  ])
})

test('an address that is not of this machine is to be changed', async () => {
  const port = await freePort()
  expect(await check({ SIGNALBOX_HOST: '192.0.2.1', SIGNALBOX_PORT: String(port) })).toMatchObject([
    { is: 'broken', says: '192.0.2.1 is no address of this machine', mend: expect.stringContaining('SIGNALBOX_HOST') },
  ])
})

async function check(env: Record<string, string>) {
  const defaults = { SIGNALBOX_HOME: temporaryDirectory(), SIGNALBOX_REPOSITORY_MCP_PORT: 'off' }
  return checkPorts({ config: loadConfig({ env: { ...defaults, ...env } }).config, env: readEnvironment() })
}

/** A program of its own that listens and does nothing else. */
async function startHolder(): Promise<{ port: number; pid: number }> {
  const script = `require('node:net').createServer().listen(0, '127.0.0.1', function () { console.log(this.address().port) })`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(child.stdout, 'data')
  return { port: Number(String(line).trim()), pid: child.pid! }
}

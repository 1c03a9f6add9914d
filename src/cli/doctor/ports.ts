import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Config, Environment } from '../../config/config.ts'
import { runningHub } from '../hub-client/hub-address.ts'
import { findingsAbout } from './finding.ts'
import type { Finding } from './finding.ts'
import { findPortOwner } from './port-owner.ts'

const { ok, note, broken } = findingsAbout('ports')

type PortConfig = Pick<Config, 'host' | 'port' | 'repositoryMcpPort' | 'home'>

export async function checkPorts({ config, env }: { config: PortConfig; env: Environment }): Promise<Finding[]> {
  const { host, port, repositoryMcpPort, home } = config
  const hub = await findListeningHub(config, env)
  const given = { host, home, env, hub }
  const findings = await checkPort({ ...given, port, setting: 'port' })
  return [
    ...(hub && hub.port !== port ? runsElsewhere(hub, findings) : findings),
    ...(repositoryMcpPort === 'off'
      ? []
      : await checkPort({ ...given, port: repositoryMcpPort, setting: 'repository_mcp_port' })),
  ]
}

interface ListeningHub {
  readonly pid: number
  readonly port: number
}

/** The hub of the data directory. Its file alone proves nothing: a killed hub leaves it, and its pid may be in use again. */
async function findListeningHub({ home, host }: PortConfig, env: Environment): Promise<ListeningHub | undefined> {
  const hub = runningHub(home)
  if (!hub) return undefined
  const { pid } = hub
  const port = Number(new URL(hub.url).port || 80)
  const owner = await findPortOwner(port, env)
  const isListening = owner ? owner.pid === pid : (await tryToListen(host, port)) === 'EADDRINUSE'
  return isListening ? { pid, port } : undefined
}

/** A problem with the configured port then matters only at the next start. */
function runsElsewhere(hub: ListeningHub, findings: readonly Finding[]): Finding[] {
  return [
    ok(`port: the running hub (pid ${hub.pid}) listens on ${hub.port}`),
    ...findings.flatMap((finding) => (finding.is === 'broken' ? [note(finding.says, finding.mend)] : [])),
  ]
}

interface PortQuestion {
  readonly host: string
  readonly port: number
  readonly setting: 'port' | 'repository_mcp_port'
  readonly home: string
  readonly env: Environment
  readonly hub: ListeningHub | undefined
}

async function checkPort({ host, port, setting, home, env, hub }: PortQuestion): Promise<Finding[]> {
  if (port === 0) return [ok(`${setting}: any free port`)]
  const variable = `SIGNALBOX_${setting.toUpperCase()}`
  const obstacle = await tryToListen(host, port)
  switch (obstacle) {
    case undefined:
      return [ok(`${setting}: ${port} is free`)]
    case 'EADDRINUSE': {
      const owner = await findPortOwner(port, env)
      if (hub && (owner ? owner.pid === hub.pid : hub.port === port)) {
        return [ok(`${setting}: ${port} is in use by the running hub (pid ${hub.pid})`)]
      }
      const who = owner ? `${owner.name} (pid ${owner.pid})` : 'a program of another user'
      const says = `${setting}: ${port} on ${host} is in use by ${who}, which is not the hub of ${home}`
      // The other program may be important to the person, so the advice never ends it.
      const mend = `choose another port for the hub: set "${setting}" in ${join(home, 'config.yaml')}, or ${variable}`
      // The page and /mcp need their port. The repository endpoint is only one of several ways to ask.
      return [setting === 'port' ? broken(says, mend) : note(says, mend)]
    }
    case 'EACCES':
      return [broken(`${setting}: you may not listen on ${port}`, `choose a port above 1023 with ${variable}`)]
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return [broken(`${host} is not an address of this machine`, 'set SIGNALBOX_HOST to one, such as 127.0.0.1')]
    default:
      return [
        broken(
          `${setting}: the hub cannot listen on ${port} of ${host}: ${obstacle}`,
          `choose another with ${variable}`,
        ),
      ]
  }
}

/** Returns the error code, or `undefined` on success. */
function tryToListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

import { createServer } from 'node:net'
import type { Config, Environment } from '../../config/config.ts'
import { runningHub } from '../hub-client/hub-address.ts'
import { findingsAbout } from './finding.ts'
import type { Finding } from './finding.ts'
import { findPortOwner } from './port-owner.ts'

const { ok, note, broken } = findingsAbout('ports')

type PortConfig = Pick<Config, 'host' | 'port' | 'repositoryMcpPort' | 'home'>

export async function checkPorts({ config, env }: { config: PortConfig; env: Environment }): Promise<Finding[]> {
  const { host, port, repositoryMcpPort } = config
  return [
    ...(await checkPort({ host, port, setting: 'port', home: config.home, env })),
    ...(repositoryMcpPort === 'off'
      ? []
      : await checkPort({ host, port: repositoryMcpPort, setting: 'repository_mcp_port', home: config.home, env })),
  ]
}

interface PortQuestion {
  readonly host: string
  readonly port: number
  readonly setting: 'port' | 'repository_mcp_port'
  readonly home: string
  readonly env: Environment
}

async function checkPort({ host, port, setting, home, env }: PortQuestion): Promise<Finding[]> {
  if (port === 0) return [ok(`${setting}: any free port`)]
  const variable = `SIGNALBOX_${setting.toUpperCase()}`
  const obstacle = await tryToListen(host, port)
  switch (obstacle) {
    case undefined:
      return [ok(`${setting}: ${port} is free`)]
    case 'EADDRINUSE': {
      const owner = await findPortOwner(port, env)
      const hub = runningHub(home)
      if (hub && (owner?.pid === hub.pid || (owner === undefined && new URL(hub.url).port === String(port)))) {
        return [ok(`${setting}: ${port} is in use by the running hub (pid ${hub.pid})`)]
      }
      const who = owner ? `${owner.name} (pid ${owner.pid})` : 'a program of another user'
      const says = `${setting}: ${port} on ${host} is in use by ${who}`
      const mend = `stop it${owner ? `, "kill ${owner.pid}"` : ''}, or choose another port with ${variable}`
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

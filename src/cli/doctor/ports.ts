import { createServer } from 'node:net'
import type { Config, Environment } from '../../config/config.ts'
import { runningHub } from '../hub-address.ts'
import { findingsAbout } from './finding.ts'
import type { Finding } from './finding.ts'
import { findPortHolder } from './port-holder.ts'

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
      const holder = await findPortHolder(port, env)
      const hub = runningHub(home)
      if (hub && (holder?.pid === hub.pid || (holder === undefined && new URL(hub.url).port === String(port)))) {
        return [ok(`${setting}: ${port} is held by the running hub (pid ${hub.pid})`)]
      }
      const who = holder ? `${holder.name} (pid ${holder.pid})` : 'a program of somebody else'
      const says = `${setting}: ${port} on ${host} is held by ${who}`
      const mend = `stop it${holder ? `, "kill ${holder.pid}"` : ''}, or choose another port with ${variable}`
      // The page and /mcp cannot do without theirs; the other endpoint is one of several ways to ask.
      return [setting === 'port' ? broken(says, mend) : note(says, mend)]
    }
    case 'EACCES':
      return [broken(`${setting}: you may not listen on ${port}`, `choose a port above 1023 with ${variable}`)]
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return [broken(`${host} is no address of this machine`, 'set SIGNALBOX_HOST to one, such as 127.0.0.1')]
    default:
      return [
        broken(`${setting}: ${port} on ${host} cannot be listened on: ${obstacle}`, `choose another with ${variable}`),
      ]
  }
}

/** The error code, or nothing when it worked. */
function tryToListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

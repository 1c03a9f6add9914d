/** The npm gateways that Signalbox is compared with, in the versions that were measured. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const gateways = { 'mcp-proxy': '6.7.19', 'mcp-hub': '4.2.1', supergateway: '4.0.0' } as const
export type GatewayName = keyof typeof gateways

export const gatewaysDirectory = fileURLToPath(new URL('../../.cache/gateways/', import.meta.url))

/** The file that its command runs; `undefined` if this version is not installed. */
export function programOf(name: GatewayName): string | undefined {
  const directory = join(gatewaysDirectory, 'node_modules', name)
  try {
    const { version, bin } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest
    if (version !== gateways[name]) return undefined
    return join(directory, typeof bin === 'string' ? bin : (bin[name] ?? ''))
  } catch {
    return undefined
  }
}

interface Manifest {
  readonly version: string
  readonly bin: string | Readonly<Record<string, string>>
}

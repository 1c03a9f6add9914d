/**
 * Loads the server side of the MCP SDK on first use. Loading it at once would take an eighth of the start of each hub.
 */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { siblingModule } from '../base/sibling-module.ts'

const require = createRequire(import.meta.url)

export function loadSdk(): typeof import('./sdk.ts') {
  return require(fileURLToPath(siblingModule('sdk', import.meta.url)))
}

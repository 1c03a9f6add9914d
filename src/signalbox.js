#!/usr/bin/env node
/**
 * The first file that Node runs. It is plain JavaScript and imports only modules that every Node has, so that an old Node
 * gets a clear message. It also enables the compile cache before the first TypeScript: cached files need no compiler,
 * which would stay in memory for as long as the hub runs.
 */
import module from 'node:module'
import { fileURLToPath } from 'node:url'

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `signalbox: This needs Node 24 or newer, not ${process.version}. Run bin/signalbox, which brings its own Node, or install Node 24.`,
  )
  process.exit(2)
}
// The cache is beside the code: a user who can write there could change the code as well. That is not true of Node's
// default directory in /tmp. The cache of a bundle is removed with the bundle.
const isSource = import.meta.url.endsWith('/src/signalbox.js')
module.enableCompileCache(fileURLToPath(new URL(isSource ? '../.cache/compiled' : './compiled', import.meta.url)))

await import('./main.ts')

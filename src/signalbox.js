#!/usr/bin/env node
/**
 * What Node is started with. It is plain JavaScript and imports only what every Node has, so that an old one can be
 * told so in words, and so that the cache is there before the first TypeScript: what is in it needs no compiler, which
 * would stay in memory for as long as the hub runs.
 */
import module from 'node:module'
import { fileURLToPath } from 'node:url'

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `signalbox: Node 24 or newer is needed, this is ${process.version}. Run bin/signalbox, which brings its own, or install Node 24.`,
  )
  process.exit(2)
}
// Beside the code: who may write there could change the code as well, which is not true of Node's own place in /tmp.
module.enableCompileCache(fileURLToPath(new URL('../.cache/compiled', import.meta.url)))

await import('./main.ts')

/**
 * Lets programs that tests start in their own process, such as holders, find compiled code, like the programs of a hub.
 */
import { enableCompileCache } from 'node:module'

enableCompileCache(process.env['NODE_COMPILE_CACHE'])

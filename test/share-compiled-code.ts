/** What tests start in their own process, such as holders, finds the code compiled, as what a hub starts does. */
import { enableCompileCache } from 'node:module'

enableCompileCache(process.env['NODE_COMPILE_CACHE'])

/**
 * For programs in TypeScript that a hub under test starts as upstreams. The hub does not pass on the variable that tests
 * inherit, and without the cache a program compiles itself, which costs more than its work.
 */
const directory = process.env['NODE_COMPILE_CACHE']

export const compileCache: Readonly<Record<string, string>> =
  directory === undefined ? {} : { NODE_COMPILE_CACHE: directory }

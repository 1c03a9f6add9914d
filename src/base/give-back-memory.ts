/**
 * Gives back what loading the hub has left behind. V8 makes its young generation as large as it may be for so much code, and
 * never small again: what should do that in an idle process takes one of Node for busy. It grows anew with the first work.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Stops everything for some 70 ms: to be called once, when nobody waits for an answer. */
export function giveBackMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as NodeJS.GCFunction
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

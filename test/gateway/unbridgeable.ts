/** The checks that no bridge can pass, read from docs/gateway-conformance.md: the list is kept where people read it. */
import { readFileSync } from 'node:fs'

export interface Unbridgeable {
  /** `scenario: check` */
  readonly check: string
  /** The check sometimes passes. */
  readonly isByChance: boolean
}

const page = new URL('../../docs/gateway-conformance.md', import.meta.url)
const row = /^\| `([^`]+)`( \(by chance\))? *\| (\S+) *\| (legacy|modern) *\| \S/

export function unbridgeable(revision: string, era: string): readonly Unbridgeable[] {
  return readFileSync(page, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, check, chance, client, upstream] = row.exec(line) ?? []
      const isMeant = check !== undefined && client === revision && upstream === era
      return isMeant ? [{ check, isByChance: chance !== undefined }] : []
    })
}

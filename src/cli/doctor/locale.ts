import type { Environment } from '../../config/config.ts'
import { defaultLocale, hasLocale } from '../../config/config.ts'
import { findingsAbout } from './finding.ts'
import type { Finding } from './finding.ts'

const { ok, note } = findingsAbout('locale')

export function checkLocale(env: Environment): Finding {
  if (hasLocale(env)) return ok(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '')
  return note(
    `LANG, LC_ALL and LC_CTYPE are not set here: the sessions of a hub without one get LANG=${defaultLocale}`,
    'set LANG where you start the hub, if they need another language',
  )
}

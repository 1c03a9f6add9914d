/**
 * The certificate and the key of the hub's port, from two files. They are read again while the hub runs, because
 * certificates are renewed. Files that cannot be used keep the hub from starting, but do not stop a running one.
 */
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import { systemReason } from '../base/system-reason.ts'

export interface Certificate {
  /** The pair in use. */
  readonly pair: KeyPair
  /** Reads the files again. True if there is a new pair, which is in use from now on. */
  refresh(): Promise<boolean>
}

export interface KeyPair {
  readonly cert: string
  readonly key: string
}

export interface CertificateOptions {
  /** The paths of the files. */
  readonly cert: string | undefined
  readonly key: string | undefined
  readonly log: Log
}

/** `undefined`: the hub has none and speaks plain HTTP. */
export function openCertificate({ cert, key, log }: CertificateOptions): Certificate | undefined {
  if (cert === undefined && key === undefined) return undefined
  if (cert === undefined) throw needsBoth('SIGNALBOX_TLS_CERT')
  if (key === undefined) throw needsBoth('SIGNALBOX_TLS_KEY')
  const read = (): KeyPair => ({
    cert: readPart('certificate', cert, 'SIGNALBOX_TLS_CERT'),
    key: readPart('key', key, 'SIGNALBOX_TLS_KEY'),
  })
  const check = (pair: KeyPair) => assertFits(pair, { cert, key })

  let pair = read()
  check(pair)
  let lastFault: string | undefined
  return {
    get pair() {
      return pair
    },
    async refresh() {
      try {
        const found = read()
        if (found.cert === pair.cert && found.key === pair.key) return false
        check(found)
        pair = found
        lastFault = undefined
        log.info({ cert }, 'the hub uses the renewed certificate')
        return true
      } catch (error) {
        // Programs that renew replace one file after the other, so a fault may last only a moment.
        if (messageOf(error) !== lastFault)
          log.warn({ error: messageOf(error) }, 'the new certificate cannot be used, so the old one stays in use')
        lastFault = messageOf(error)
        return false
      }
    },
  }
}

function readPart(part: string, path: string, setting: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const why = `The hub cannot read the ${part} ${path} (${setting}): ${systemReason(error)}. Fix that, or remove the setting.`
    throw new HubError('invalid', why, { cause: error })
  }
}

function assertFits(pair: KeyPair, paths: { cert: string; key: string }): void {
  try {
    createSecureContext(pair)
  } catch (error) {
    throw new HubError(
      'invalid',
      `The certificate ${paths.cert} and the key ${paths.key} do not fit together, or are not PEM files without a password: ${messageOf(error)}.`,
      { cause: error },
    )
  }
}

function needsBoth(missing: string): HubError {
  return new HubError('invalid', `TLS needs a certificate and a key, and ${missing} is not set. Set both, or neither.`)
}

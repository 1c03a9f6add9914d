import { copyFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { CertificateFiles } from '../../test/fixtures/certificate.ts'
import { makeCertificate } from '../../test/fixtures/certificate.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { requires } from '../../test/harness/requires.ts'
import type { Log } from '../base/log.ts'
import { openCertificate } from './certificate.ts'

const openssl = requires('openssl')

openssl.describe('the certificate', () => {
  let directory: string
  let first: CertificateFiles
  let second: CertificateFiles
  let lines: string[]
  beforeEach(async () => {
    directory = temporaryDirectory()
    lines = []
    first = await makeCertificate(openssl.path, directory, 'first')
    second = await makeCertificate(openssl.path, directory, 'second')
  })

  const open = (cert: string | undefined, key: string | undefined) => openCertificate({ cert, key, log: logTo(lines) })

  test('is not needed, but needs both files', () => {
    expect(open(undefined, undefined)).toBeUndefined()
    expect(() => open(first.cert, undefined)).toThrow('SIGNALBOX_TLS_KEY is not set. Set both, or neither.')
    expect(() => open(undefined, first.key)).toThrow('SIGNALBOX_TLS_CERT is not set. Set both, or neither.')
  })

  test('must be readable, be a certificate, and fit the key', async () => {
    const missing = join(directory, 'missing.pem')
    expect(() => open(missing, first.key)).toThrow(`cannot read the certificate ${missing} (SIGNALBOX_TLS_CERT)`)
    expect(() => open(first.cert, missing)).toThrow(`cannot read the key ${missing} (SIGNALBOX_TLS_KEY)`)
    expect(() => open(first.cert, second.key)).toThrow(/first\.pem.*second\.key.*do not fit together.*mismatch/)
    const garbage = join(directory, 'garbage.pem')
    await writeFile(garbage, 'not a certificate')
    expect(() => open(garbage, first.key)).toThrow(/garbage\.pem.*do not fit together/)
    expect(() => open(first.cert, garbage)).toThrow(/garbage\.pem.*do not fit together/)
  })

  test('is read again when the files change', async () => {
    const certificate = open(first.cert, first.key)!
    const before = certificate.pair
    expect(await certificate.refresh()).toBe(false)
    await copyFile(second.cert, first.cert)
    await copyFile(second.key, first.key)
    expect(await certificate.refresh()).toBe(true)
    expect(certificate.pair).not.toEqual(before)
    expect(await certificate.refresh()).toBe(false)
    expect(lines).toEqual(['info the hub uses the renewed certificate'])
  })

  test('stays as it is while the new files are broken, with one line in the log for each fault', async () => {
    const certificate = open(first.cert, first.key)!
    const before = certificate.pair
    await copyFile(second.cert, first.cert)
    expect([await certificate.refresh(), await certificate.refresh()]).toEqual([false, false])
    await rm(first.key)
    expect([await certificate.refresh(), await certificate.refresh()]).toEqual([false, false])
    expect(certificate.pair).toBe(before)
    const line = 'warn the new certificate cannot be used, so the old one stays in use'
    expect(lines).toEqual([line, line])
    await copyFile(second.key, first.key)
    expect(await certificate.refresh()).toBe(true)
  })
})

function logTo(lines: string[]): Log {
  const write = (level: string) => (_: unknown, message: string) => void lines.push(`${level} ${message}`)
  const log: Log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => log,
  }
  return log
}

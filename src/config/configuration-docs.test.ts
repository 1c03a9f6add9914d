import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { configurationDocsCommand, renderConfigurationDocs } from './configuration-docs.ts'
import { settings } from './settings.ts'

test('docs/configuration.md is up to date with the schema', () => {
  const written = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
  expect(written, `docs/configuration.md is stale: run "${configurationDocsCommand}"`).toBe(renderConfigurationDocs())
})

test('the documentation lists every setting with all its names', () => {
  const page = renderConfigurationDocs()
  for (const { environment, flag, key, notInFile } of settings) {
    expect(page).toContain(`\`${environment}\``)
    if (flag !== undefined) expect(page).toContain(`\`--${flag}\``)
    if (notInFile === undefined) expect(page).toContain(`| \`${key}\``)
  }
})

/** Writes docs/configuration.md from the schema of the settings. A test fails when the page is outdated. */
import { writeFileSync } from 'node:fs'
import { renderConfigurationDocs } from '../src/config/configuration-docs.ts'

writeFileSync(new URL('../docs/configuration.md', import.meta.url), renderConfigurationDocs())

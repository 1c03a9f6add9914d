/** Writes docs/configuration.md from the schema of the settings. A test says when it is time to run this. */
import { writeFileSync } from 'node:fs'
import { renderConfigurationDocs } from '../src/config/configuration-docs.ts'

writeFileSync(new URL('../docs/configuration.md', import.meta.url), renderConfigurationDocs())

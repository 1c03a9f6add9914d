import { expect, test } from 'vitest'
import { findUnknownName } from './unknown-name.ts'

const mounts = [
  { mount: 'sentry', tools: ['sentry_delete_issue', 'sentry_get_issue'] },
  { mount: 'mail', tools: undefined },
  { mount: 'own', tools: ['own_shell', 'own_edit'] },
]

test.each([
  ['sentry_get_issue', undefined],
  ['sentry_*', undefined],
  ['*_delete_account', undefined],
  ['mail_send', undefined],
  ['own_web_browser', undefined],
  ['own_shel', { didYouMean: 'own_shell' }],
  ['sentry_get_isue', { didYouMean: 'sentry_get_issue' }],
  ['sentry_remove_*', { didYouMean: 'sentry_delete_*' }],
  ['ledger_query', {}],
])('says whether %s names a known tool', (name, unknown) => {
  expect(findUnknownName(name, mounts)).toEqual(unknown)
})

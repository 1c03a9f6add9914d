/** The script of the agent in the pictures, for each prompt. */
import { fromAgent } from '../../src/api/action-prompt.ts'

export const prompts = {
  tests: 'Do the tests pass?',
  retries: 'The capture worker retries a failed charge without a limit. Limit it.',
  notes: 'Write the notes for 2.14.0 and push the draft.',
  repository:
    'Where is a payment attempt made safe to repeat, and what happens if the worker dies between reserve and charge?',
  firstMinute: 'Run the tests. If they pass, push the branch.',
}

const questionToLedger = 'How do you drop a duplicate attempt?'

const answerFromRepository = `An attempt gets its key before any money moves. \`reserve()\` inserts a row keyed on order and attempt number, and returns nothing once five rows exist (src/checkout/retry.ts:4-18).

The key goes to the payment provider as its idempotency key, so a repeated charge with the same key is answered from the provider’s own record (src/checkout/gateway.ts:2-6).

### If the worker dies in between

1. The row stays in state \`reserved\` with no result (src/checkout/retry.ts:9-16).
2. After two minutes the sweeper hands the same row to another worker, with the same key (src/checkout/sweeper.ts:1-4).`

export const scripts = {
  [fromAgent(questionToLedger)]: [
    'SAY I look at the importer.',
    'CALL terminal_read_screen {}',
    'SAY The production table would tell.',
    'CALL terminal_send_text {"text":"psql prod"}',
    'FINAL Each row is keyed on (order_id, attempt); a second insert with the same key is ignored. importer.py:88-97',
    'SLOW 60',
  ].join('\n'),
  [prompts.retries]: [
    'THINK The worker counts after the charge, so a crash between the two charges twice.',
    'SAY I will look at the work so far.',
    'CALL terminal_send_text {"text":"git status --short\\r"}',
    'CALL terminal_read_screen {}',
    'SAY I ask the session that knows the ledger.',
    `CALL sessions_ask {"session":"ledger-schema","text":"${questionToLedger}"}`,
    'SAY The worker counts an attempt *after* the charge. I reserve the attempt first, then charge with its `key`.',
    'CALL terminal_send_text {"text":"git --no-pager diff\\r"}',
    'CALL terminal_send_text {"text":"echo retry limited to 5 attempts\\r"}',
    'SAY The limit is in src/checkout/retry.ts:4-8. All 38 tests pass. `main` was rebased an hour ago, so the push needs a lease.',
    'CALL terminal_send_text {"text":"git push --force-with-lease origin fix/checkout-retry\\r"}',
    'FINAL Pushed.',
    'SLOW 60',
  ].join('\n'),
  [prompts.notes]: [
    'SAY I read what changed since 2.13.0.',
    'CALL terminal_send_text {"text":"git --no-pager log --stat\\r"}',
    'SAY I push the draft so that you can edit it.',
    'CALL terminal_send_text {"text":"git push origin v2.14.0\\r"}',
    'FINAL done',
  ].join('\n'),
  [prompts.tests]: 'FINAL The tests pass on the branch.',
  [prompts.repository]: [
    'CALL search {"query":"reserve attempt"}',
    ...answerFromRepository.split('\n').map((line) => `SAY ${line}`),
    'FINAL 3. The order is charged at most once.',
  ].join('\n'),
  [prompts.firstMinute]: [
    'SAY I run the tests in the terminal.',
    'CALL terminal_send_text {"text":"node --test\\r"}',
    'CALL terminal_wait_for {"for":"text","value":"duration_ms"}',
    'SAY All four tests pass. Now I push the branch.',
    'CALL terminal_send_text {"text":"git push origin fix/retry-limit\\r"}',
    'CALL terminal_wait_for {"for":"text","value":"new branch"}',
    'FINAL All four tests pass, and `fix/retry-limit` is pushed.',
    'SLOW 70',
  ].join('\n'),
}

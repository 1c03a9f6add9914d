import { writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import { staysInSandbox } from './recorded-call.ts'

function recordOf(...payloads: readonly object[]) {
  const file = join(temporaryDirectory(), 'rollout.jsonl')
  const lines = payloads.map((payload) => JSON.stringify({ type: 'response_item', payload }))
  writeFileSync(file, `{"type":"session_meta","payload":{}}\n${lines.join('\n')}\n`)
  return () => open(file)
}

const call = (id: string, args: object) => ({ type: 'function_call', call_id: id, arguments: JSON.stringify(args) })
const script = (id: string, input: string) => ({ type: 'custom_tool_call', call_id: id, name: 'exec', input })
const output = (id: string, text: string) => ({
  type: 'custom_tool_call_output',
  call_id: id,
  output: [{ type: 'input_text', text }],
})
const plain = 'text((await tools.exec_command({cmd: "ls"})).output)'
const escalated = 'await tools.exec_command({cmd: "ls", sandbox_permissions: "require_escalated"})'

test('a call is known by its id', async () => {
  const record = recordOf(
    call('c1', { cmd: 'ls' }),
    call('c2', { cmd: 'ls', sandbox_permissions: 'require_escalated' }),
  )
  expect(await staysInSandbox(record, 'c1')).toBe(true)
  expect(await staysInSandbox(record, 'c2')).toBe(false)
})

test.each([
  ['a plain script', [script('s1', plain)], true],
  ['a script that leaves the sandbox', [script('s1', escalated)], false],
  [
    'a plain script after another that has ended',
    [script('s1', escalated), output('s1', 'Script completed\n'), script('s2', plain)],
    true,
  ],
  [
    'a plain script beside another that still runs',
    [script('s1', escalated), output('s1', 'Script running'), script('s2', plain)],
    false,
  ],
])('the record shows whether a command of %s stays in the sandbox', async (_, lines, stays) => {
  expect(await staysInSandbox(recordOf(...lines), 'exec-1')).toBe(stays)
})

test('a call that the record does not have counts as one that leaves the sandbox', async () => {
  expect(await staysInSandbox(recordOf(), 'c1')).toBe(false)
  expect(await staysInSandbox(undefined, 'c1')).toBe(false)
})

import { expect, test } from 'vitest'
import { terminalToolNames } from '../api/terminal-tools.ts'
import { openToolbox, toCall } from '../../test/worlds/terminal-toolbox.ts'

interface Listed {
  readonly name: string
  readonly description: string
  readonly inputSchema: { readonly properties: Record<string, unknown>; readonly required?: readonly string[] }
  readonly outputSchema?: object
  readonly annotations: object
}

const call = toCall()

test('people have every tool, with the session as its first argument', async () => {
  const box = await openToolbox('exec cat')
  const listed = (await box.people.listTools(['terminal'])) as Listed[]
  expect(listed.map(({ name }) => name).toSorted()).toEqual(
    [...terminalToolNames, 'claim_input', 'read_recording'].toSorted(),
  )
  for (const { inputSchema } of listed) {
    expect(Object.keys(inputSchema.properties)[0]).toBe('session')
    expect(inputSchema.required?.[0]).toBe('session')
  }
  expect(await box.failure('read_screen', { session: 'nobody' })).toBe('No session named "nobody".')
  expect(await box.call('get_pty_info', { session: 's1' })).toMatchObject({ running: true })
})

test('an agent has exactly the tools that are switched on for it at the moment', async () => {
  const box = await openToolbox('exec cat')
  expect(await box.agent.listTools(['terminal'])).toEqual([])
  expect(box.agent.findTool('terminal_get_pty_info')).toBeUndefined()
  box.on.add('get_pty_info')
  expect(await box.agent.listTools(['terminal'])).toMatchObject([{ name: 'terminal_get_pty_info' }])
  const tool = box.agent.findTool('terminal_get_pty_info')!
  expect(await box.agent.callTool(tool, {}, call)).toMatchObject({
    structuredContent: { cols: 80, rows: 24, running: true },
  })
  box.on.delete('get_pty_info')
  expect(box.agent.findTool('terminal_get_pty_info')).toBeUndefined()
})

test('a running call is refused when its tool is switched off', async () => {
  const box = await openToolbox('stty -echo; read line; echo secret; exec cat')
  box.on.add('read_output').add('wait_for')
  const run = (name: string, args: object) => box.agent.callTool(box.agent.findTool(name)!, { ...args }, call)
  const output = run('terminal_read_output', { since: 0 })
  const wait = run('terminal_wait_for', { for: 'text', value: 'secret' })
  const people = box.call('wait_for', { for: 'text', value: 'secret' })
  box.switchOff('read_output')
  await expect(output).rejects.toThrow('Unknown tool: "terminal_read_output". Call tools/list for the names.')
  box.switchOff('wait_for')
  await expect(wait).rejects.toThrow('Unknown tool: "terminal_wait_for".')
  await box.call('send_text', { text: '\n' })
  expect(await people).toMatchObject({ met: true })
})

test('an approved call does not run if its tool was switched off meanwhile', async () => {
  const box = await openToolbox('exec cat')
  box.on.add('send_text')
  const approved = box.agent.findTool('terminal_send_text')!
  box.switchOff('send_text')
  await expect(box.agent.callTool(approved, { text: 'typed' }, call)).rejects.toThrow(
    'Unknown tool: "terminal_send_text".',
  )
  await box.call('send_text', { text: 'then ' })
  await box.call('wait_for', { for: 'text', value: 'then' })
  expect(box.terminal.screen.text()).not.toContain('typed')
})

test('listing twice returns the same tool objects', async () => {
  const box = await openToolbox('exec cat')
  box.on.add('read_screen')
  const [first] = await box.agent.listTools(['terminal'])
  expect((await box.agent.listTools(['terminal']))[0]).toBe(first)
})

test('an agent cannot name another session or use the arguments for people', async () => {
  const box = await openToolbox('exec cat')
  for (const name of terminalToolNames) box.on.add(name)
  const read = box.agent.findTool('terminal_read_output')!
  for (const wrong of ['session', 'viewer', 'snapshot']) {
    const answer = await box.agent.callTool(read, { [wrong]: 's2' }, call)
    expect(answer).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining(`"${wrong}" is not known here; the arguments are since,`) }],
    })
  }
  expect(box.agent.findTool('terminal_claim_input')).toBeUndefined()
})

test('the list of all tools of an agent stays under 12 KB', async () => {
  const box = await openToolbox('exec cat')
  for (const name of terminalToolNames) box.on.add(name)
  const listed = await box.agent.listTools(['terminal'])
  expect(listed).toHaveLength(terminalToolNames.length)
  expect(JSON.stringify(listed).length).toBeLessThan(12 * 1024)
})

test('the annotations of each tool say whether it writes and whether it may destroy something', async () => {
  const box = await openToolbox('exec cat')
  const listed = (await box.people.listTools(['terminal'])) as Listed[]
  const hints = Object.fromEntries(listed.map(({ name, annotations }) => [name, annotations]))
  const writers = {
    send_text: { destructiveHint: true, idempotentHint: false },
    send_keys: { destructiveHint: true, idempotentHint: false },
    set_config: { destructiveHint: true, idempotentHint: true },
    save_screenshot: { destructiveHint: true, idempotentHint: false },
    toggle_module: { destructiveHint: false, idempotentHint: true },
    set_window_title: { destructiveHint: false, idempotentHint: true },
    resize: { destructiveHint: false, idempotentHint: true },
    claim_input: { destructiveHint: false, idempotentHint: true },
  }
  for (const [name, annotations] of Object.entries(hints)) {
    const expected = Object.hasOwn(writers, name)
      ? { readOnlyHint: false, ...writers[name as keyof typeof writers], openWorldHint: false }
      : { readOnlyHint: true, openWorldHint: false }
    expect(annotations, name).toEqual(expected)
  }
})

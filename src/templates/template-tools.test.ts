import { expect, test } from 'vitest'
import { openTemplatesHere } from '../../test/worlds/open-templates.ts'
import type { Call } from '../mcp/mcp.ts'
import { createTemplateProvider as createProvider } from './template-tools.ts'
import type { Templates } from './template.ts'

const call = {} as Call

const createTemplateProvider = (templates: Templates) =>
  createProvider({ templates, checkPolicy: async () => {}, sessionsOf: async () => [] })

test('list_templates returns every field, missing programs and broken files, and hidden templates on request', async () => {
  const { templates, write } = await openTemplatesHere()
  write('shipped', 'secret', { name: 'secret', label: 'Secret', hidden: true })
  const path = write('own', 'bad', '{')
  const { templates: listed, broken } = await callTool(templates, 'list_templates')
  expect(listed).toEqual([
    expect.objectContaining({
      name: 'robot',
      label: 'robot',
      command: 'robot',
      args: ['--polite'],
      session_type: 'long_running',
      available: false,
      why_not: expect.stringContaining('apt install robot'),
      source: 'shipped',
    }),
    expect.objectContaining({ name: 'shell', available: true, env: {}, terminal_tools: [] }),
  ])
  expect(broken).toEqual([{ path, line: 1, column: 2, reason: expect.any(String) }])

  const all = await callTool(templates, 'list_templates', { hidden: true })
  expect(all['templates']).toHaveLength(3)
})

test('save_template and delete_template work, and their errors name the mistake', async () => {
  const { templates, own } = await openTemplatesHere()
  const saved = await callTool(templates, 'save_template', { payload: { name: 'mine', command: 'top' } })
  expect(saved).toEqual({ path: `${own}/mine.json` })
  expect(await callTool(templates, 'delete_template', { name: 'mine' })).toEqual({ name: 'mine', sessions: [] })
  await expect(callTool(templates, 'delete_template', { name: 'mine' })).rejects.toThrow('No template named "mine"')
  await expect(callTool(templates, 'save_template', { payload: 'top' })).rejects.toThrow('"payload"')
  await expect(callTool(templates, 'save_template', { payload: { command: 'top' } })).rejects.toThrow('"name"')
})

test('resource://templates has the same content as list_templates', async () => {
  const { templates } = await openTemplatesHere()
  const [resource] = createTemplateProvider(templates).resources!()
  const read = await resource!.read(call)
  const [content] = 'contents' in read ? read.contents : []
  expect(content?.uri).toBe('resource://templates')
  const text = content && 'text' in content ? content.text : ''
  expect(JSON.parse(text)).toEqual(await callTool(templates, 'list_templates'))
})

async function callTool(templates: Templates, name: string, args = {}): Promise<Record<string, unknown>> {
  const tool = createTemplateProvider(templates).tools!().find((each) => each.name === name)!
  const result = await tool.run(args, call)
  if (!('content' in result)) throw new Error('It asked something.')
  const [block] = result.content
  if (result.isError) throw new Error(block?.type === 'text' ? block.text : 'no text')
  return result.structuredContent as Record<string, unknown>
}

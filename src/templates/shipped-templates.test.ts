/** The shipped templates: what they promise, and what they must never do. */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findPatternFaults } from './check-template.ts'
import { fill } from './fill.ts'
import { readTemplateFile } from './template-file.ts'

const root = join(import.meta.dirname, '../..')
const texts = new Map(
  globSync('templates/*.json', { cwd: root }).map((file) => [
    basename(file, '.json'),
    readFileSync(join(root, file), 'utf8'),
  ]),
)
const agents = ['claude', 'codex', 'gemini', 'opencode']

const words = {
  workspace: '/home/me/work',
  session_id: 'id',
  session_name: 'fix-tests',
  session_dir: '/home/me/.signalbox/sessions/id',
  mcp_url: 'http://127.0.0.1:7420/mcp',
  mcp_socket: '/run/user/1000/signalbox-mcp-fix-tests.sock',
  prompt: '',
  signalbox: '/usr/bin/signalbox',
}

test('there are eight templates, and those that people do not start by hand are hidden', () => {
  expect([...texts.keys()].sort()).toEqual(['assistant', ...agents, 'repository-answer', 'script', 'shell'])
  const hidden = [...texts.keys()].filter((name) => templateOf(name).hidden)
  expect(hidden.sort()).toEqual(['repository-answer', 'script'])
  expect(templateOf('script').session_type).toBe('one_off')
})

test('the package contains the templates', () => {
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] }
  expect(files).toContain('templates')
})

describe.each([...texts.keys()])('%s', (name) => {
  test('is valid and has valid patterns', async () => {
    expect(await findPatternFaults(templateOf(name))).toEqual([])
  })

  test('keeps the agent’s own permission questions and the person’s own settings', () => {
    // Gemini CLI's mode "default" asks about the most.
    expect(texts.get(name)).not.toMatch(
      /dangerously|bypass|yolo|skip-permissions|ask-for-approval|approval-mode(?!", "default")|danger-full/i,
    )
    expect(texts.get(name)).not.toMatch(/"trust": *true/)
    const replaced = Object.keys(templateOf(name).env).filter((variable) => /HOME$|_CONFIG_DIR$/.test(variable))
    expect(replaced).toEqual([])
  })
})

describe.each(agents)('%s', (name) => {
  test('gets the URL of the hub, and the token only from the environment', () => {
    const { args, env, session_files, include_files } = fill(templateOf(name), words)
    const everything = JSON.stringify({ args, env, session_files }) + include_files.map(readIncluded(name)).join('')
    // Files of the workspace may outlive the session, so they refer to its environment.
    expect(everything).toMatch(/http:\/\/127\.0\.0\.1:7420\/mcp|\$SIGNALBOX_URL/)
    expect(everything).toContain('SIGNALBOX_TOKEN')
    expect(everything).not.toContain('{mcp_url}')
  })

  test('says how to install its program', () => {
    expect(templateOf(name).install).toMatch(/^npm install -g /)
  })
})

test('JSON inside JSON is still valid JSON after it is filled in', () => {
  const { args = [] } = fill(templateOf('claude'), words)
  expect(JSON.parse(args[args.indexOf('--mcp-config') + 1]!)).toEqual({
    mcpServers: {
      signalbox: { type: 'http', url: words.mcp_url, headers: { Authorization: 'Bearer ${SIGNALBOX_TOKEN}' } },
    },
  })
  const { env } = fill(templateOf('opencode'), words)
  expect(JSON.parse(env['OPENCODE_CONFIG_CONTENT']!)).toMatchObject({
    mcp: { signalbox: { url: words.mcp_url, headers: { Authorization: 'Bearer {env:SIGNALBOX_TOKEN}' } } },
  })
})

function readIncluded(name: string) {
  return (file: string | { source: string }) =>
    readFileSync(join(root, 'templates', name, typeof file === 'string' ? file : file.source), 'utf8')
}

function templateOf(name: string) {
  const content = readTemplateFile(texts.get(name)!, name)
  if (content.is === 'broken') throw new Error(`${name}: ${content.fault.reason}`)
  return content.template
}

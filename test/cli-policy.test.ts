/** The policy commands against a real hub, with an agent that makes real calls. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { personAt } from './fixtures/person.ts'
import type { CliOutcome } from './fixtures/run-cli.ts'
import { runInProcess } from './fixtures/run-cli.ts'
import { temporaryDirectory } from './fixtures/temporary-directory.ts'
import type { HubProcess } from './worlds/hub-process.ts'
import { startHubProcess } from './worlds/hub-process.ts'
import type { Endpoint } from './harness/modern-call.ts'
import { callTool } from './harness/modern-call.ts'
import type { TempHome } from './harness/temp-home.ts'
import { createTempHome } from './harness/temp-home.ts'

let home: TempHome
let hub: HubProcess
let agent: Endpoint
let env: Record<string, string>
beforeAll(async () => {
  home = await createTempHome()
  hub = await startHubProcess({ home: home.path })
  env = { SIGNALBOX_HOME: home.path, PATH: process.env['PATH'] ?? '' }
  await callTool(hub, 'create_session', { name: 'worker', command: 'cat', args: [] })
  const { token } = await callTool(hub, 'issue_token', { role: 'agent', session: 'worker' })
  agent = { url: hub.url, token: String(token) }
})
afterAll(async () => {
  await hub[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})
beforeEach(async () => {
  for (const owner of [{}, { scope: 'session', target: 'worker' }]) {
    await callTool(hub, 'set_policy', { ...owner, source: '' })
  }
})

describe('signalbox policy', () => {
  test('prints the policy unchanged, and its source', async () => {
    const shipped = await signalbox('policy')
    expect(shipped.out).toBe(readFileSync(new URL('../policies/hub.yaml', import.meta.url), 'utf8').trimEnd())
    expect(shipped.err).toContain('as shipped')
    const none = await signalbox('policy', 'show', '--scope', 'session', '--target', 'worker')
    expect(none).toMatchObject({ code: 0, out: '' })
    expect(none.err).toContain('the policy of the session worker is empty')
    const { out } = await signalbox('policy', '--json')
    expect(JSON.parse(out)).toMatchObject({ origin: 'shipped', default: 'ask' })
  })

  test('explains errors in the command line', async () => {
    expect(await signalbox('policy', 'shwo')).toMatchObject({ code: 2 })
    expect((await signalbox('policy', '--scope', 'all')).err).toContain('--scope takes hub, template, session')
    expect((await signalbox('policy', '--target', 'worker')).err).toContain('Add --scope')
    expect((await signalbox('policy', '--scope', 'session')).err).toContain(
      '--scope session needs a target. Add --target NAME.',
    )
    expect((await signalbox('policy', '--version', 'x')).err).toContain('--version takes a number')
  })
})

describe('signalbox policy save and diff', () => {
  test('show the changes, and save them unless the file is invalid or based on an old version', async () => {
    const file = policyFile('default: deny\n')
    const diff = await signalbox('policy', 'diff', file)
    expect(diff.out).toContain('-default: ask')
    expect(diff.out).toContain('+default: deny')
    const saved = await signalbox('policy', 'save', file)
    expect(saved.out).toContain('+default: deny')
    const version = Number(/as version (\d+)/.exec(saved.err)?.[1])
    expect((await signalbox('policy', 'diff', file)).out).toBe('Nothing would change.')

    const broken = await signalbox('policy', 'save', policyFile('default: deny\nrules:\n  - alow: x\n'))
    expect(broken.code).toBe(1)
    expect(broken.err).toMatch(/policy\.yaml, line 3: "alow" is not known here/)
    const late = await signalbox('policy', 'save', policyFile('default: abort\n'), '--if-version', String(version - 1))
    expect(late.code).toBe(5)
    expect(late.err).toContain(`the policy is at version ${version}`)
    expect((await signalbox('policy')).out).toBe('default: deny')
  })
})

describe('signalbox policy check', () => {
  test('checks a file without a hub, and names the line of an error', async () => {
    const offline = { env: { SIGNALBOX_HOME: '/nowhere', PATH: '' } }
    const good = policyFile('rules:\n  - deny: x_*\n    match: [x_y]\n')
    expect(await runInProcess(['policy', 'check', good], offline)).toMatchObject({
      code: 0,
      out: `${good} is a valid policy: 1 rule, default not set.`,
    })
    const bad = policyFile('rules:\n  - deny: x_*\n    match:\n      - y\n')
    const refused = await runInProcess(['policy', 'check', bad], offline)
    expect(refused.code).toBe(1)
    expect(refused.err).toContain(`${bad}, line 4: the rule does not match this example`)
    const json = await runInProcess(['policy', 'check', '-', '--json'], { ...offline, stdin: 'default: alow' })
    expect(json.code).toBe(1)
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, line: 1 })
    expect(await runInProcess(['policy', 'check', '/does/not/exist'], offline)).toMatchObject({ code: 1 })
  })

  test('decides on a call and says why', async () => {
    await callTool(hub, 'set_policy', {
      source: '- deny: git_*\n  when: {properties: {repo: {const: prod}}, required: [repo]}\n  reason: read-only\n',
    })
    const denied = await check('git_push', '--arguments', '{"repo": "prod"}')
    expect(denied.out).toMatch(/^deny: The rule hub#1 says deny for git_\*.* Its reason: read-only \(hub@\d+\)$/)
    expect((await check('git_push')).out).toMatch(/^ask: No rule matches "git_push" with these arguments/)
    expect(JSON.parse((await check('git_push', '--json')).out)).toMatchObject({ effect: 'ask' })
    expect((await check('git_push', '--arguments', '[1]')).err).toContain('it is not a JSON object')
    expect((await signalbox('policy', 'check', 'git_push', '--arguments', '{}')).err).toContain('Add --session')
  })

  const check = (...words: string[]) => signalbox('policy', 'check', '--session', 'worker', ...words)
})

describe('signalbox policy simulate', () => {
  test('tries a policy on recorded calls of agents', async () => {
    await callTool(agent, 'policy_read')
    await callTool(agent, 'policy_check', { tool: 'x' })
    const { out } = await signalbox('policy', 'simulate', policyFile('- deny: policy_check\n- allow: "*"\n'))
    expect(out).toMatch(/^Of \d+ recorded calls from .* to .*, \d+ would be decided as before, \d+ differently/)
    expect(out).toMatch(/^ {2}allow → deny: \d+$/m)
    expect(out).toMatch(/^\S+ +\S+ +allow +deny +hub#1 +policy_check$/m)
    const json = await signalbox('policy', 'simulate', policyFile('default: ask'), '--since', '1h', '--json')
    expect(JSON.parse(json.out)).toMatchObject({ changes: [{ before: 'allow', after: 'ask' }], truncated: false })
    const never = await signalbox('policy', 'simulate', policyFile('default: ask'), '--until', '1d')
    expect(never.out).toContain('This policy would decide no recorded call of that time.')
  })
})

describe('signalbox policy proposals', () => {
  test('lists the proposals of agents, and accept adds one to the policy of the session', async () => {
    const { id } = await callTool(agent, 'policy_propose', {
      rules: '- allow: git_*\n',
      why: 'to read\u001b[2J issues',
    })
    const listed = await signalbox('policy', 'proposals')
    expect(listed.out).toContain(`${String(id)}  worker, `)
    expect(listed.out).toContain(': to read[2J issues')
    expect(listed.out).toContain('\n    - allow: git_*')
    const accepted = await signalbox('policy', 'accept', String(id), '--reason', 'fine')
    expect(accepted.out).toContain('+  - allow: git_*')
    expect(accepted.err).toMatch(/The policy of the session worker is at version \d+\./)
    expect(await callTool(agent, 'policy_check', { tool: 'git_x' })).toMatchObject({ effect: 'allow' })
    expect((await signalbox('policy', 'accept', String(id))).err).toContain('was accepted by')
  })

  test('sends the reason of a rejection to the agent', async () => {
    const { id } = await callTool(agent, 'policy_propose', { rules: '- allow: "*"', why: 'all of it' })
    expect((await signalbox('policy', 'reject', String(id), '--reason', 'too wide')).out).toContain('Rejected proposal')
    const { proposals } = await callTool(agent, 'policy_read')
    expect(proposals).toContainEqual(expect.objectContaining({ id, status: 'rejected', reason: 'too wide' }))
    expect((await signalbox('policy', 'proposals')).out).toBe('No agent proposes rules.')
    expect(JSON.parse((await signalbox('policy', 'proposals', '--all', '--json')).out)).toHaveProperty('proposals')
  })
})

describe('signalbox policy edit', () => {
  test('opens the policy in the editor and saves the result', async () => {
    const edited = await edit(`sed -i 's/^default: ask/default: deny/'`, '--yes')
    expect(edited, edited.err).toMatchObject({ code: 0 })
    expect(edited.out).toContain('+default: deny')
    expect(edited.out).toMatch(/recorded call/)
    expect((await signalbox('policy')).out).toContain('\ndefault: deny\n')
    expect((await edit('true', '--yes')).err).toContain('Nothing was changed.')
  })

  test('saves only a valid policy after confirmation, and keeps the text otherwise', async () => {
    const unasked = await edit(`sed -i 's/^default: ask/default: deny/'`)
    expect(unasked.code).toBe(1)
    expect(unasked.err).toContain('Add --yes to save without asking.')
    const broken = await edit(`sed -i 's/^default: ask/default: aks/'`, '--yes')
    expect(broken.code).toBe(1)
    expect(broken.err).toContain('"default": write one of allow, ask, deny, abort')
    const [, kept = ''] = /Your text is kept in (\S+)\./.exec(broken.err) ?? []
    expect(readFileSync(kept, 'utf8')).toContain('\ndefault: aks\n')
    expect((await edit('false')).err).toContain('The editor "false" exited with 1')
    expect((await signalbox('policy')).out).toContain('\ndefault: ask\n')
  })

  test('does not overwrite a version that was saved meanwhile', async () => {
    const script = join(temporaryDirectory(), 'editor.sh')
    const call = `${process.execPath} ${new URL('../src/signalbox.js', import.meta.url).pathname}`
    writeFileSync(
      script,
      `echo 'default: abort' | ${call} policy save - >/dev/null 2>&1\necho 'default: allow' >"$1"\n`,
    )
    const late = await edit(`sh ${script}`, '--yes')
    expect(late.code).toBe(5)
    expect(late.err).toContain('"if_version" is')
    expect((await signalbox('policy')).out).toBe('default: abort')
  })

  test('on a terminal, opens an invalid policy in the editor again, and saves it once it is valid', async () => {
    const script = join(temporaryDirectory(), 'editor.sh')
    writeFileSync(script, `if grep -q aks "$1"; then echo 'default: deny' >"$1"; else echo 'default: aks' >"$1"; fi\n`)
    const person = await personAt(['policy', 'edit'], {
      env: { ...env, EDITOR: `sh ${script}` },
      size: { cols: 120, rows: 60 },
    })
    await person.sees('Edit it again? [y/N]')
    await person.sees('line 1: "default": write one of')
    person.type('y\r')
    await person.sees('Save the policy? [y/N]')
    await person.sees('+default: deny')
    person.type('y\r')
    expect(await person.exit).toBe(0)
    await person.sees('Saved the policy of the hub as version')
    expect((await signalbox('policy')).out).toBe('default: deny')
  })

  async function edit(editor: string, ...words: string[]): Promise<CliOutcome> {
    const outcome = await runInProcess(['policy', 'edit', ...words], { env: { ...env, EDITOR: editor } })
    const kept = /Your text is kept in (\S+)\./.exec(outcome.err)?.[1]
    if (kept !== undefined) onTestFinished(() => rmSync(dirname(kept), { recursive: true }))
    return outcome
  }
})

/** A policy goes into a pipe unchanged, with its last line end. */
async function signalbox(...words: string[]): Promise<CliOutcome> {
  const { out, ...outcome } = await runInProcess(words, { env })
  return { ...outcome, out: out.trimEnd() }
}

function policyFile(source: string): string {
  const file = join(temporaryDirectory(), 'policy.yaml')
  writeFileSync(file, source)
  return file
}

/** The section "Policy" in a real browser. */
import { devices } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Approval } from '../../src/api/approval.ts'
import { requires } from '../harness/requires.ts'
import { browserPrograms } from './browser.ts'
import { patience } from '../worlds/own-hub.ts'
import { violations } from './axe.ts'
import { type PageWorld, startPageWorld } from './page-world.ts'
import { writeInEditor } from './write-in-editor.ts'

const program = requires(...browserPrograms)

program.describe('the policy on the page', () => {
  let world: PageWorld
  beforeAll(async () => void (world = await startPageWorld(program.path)))
  afterAll(() => world[Symbol.asyncDispose]())

  test('a policy is edited with its faults shown in place, tried on the record, compared, and saved', async () => {
    await world.agent('pusher', 'CALL terminal_send_text {"text":"ask to push"}\nFINAL ok')
    await world.call('decide_approval', { id: (await pendingOf('pusher')).id, decision: 'deny' })
    await using viewer = await world.open('policy/template~agent')
    const { page, complaints } = viewer
    const editor = page.getByRole('textbox', { name: 'Policy of the template agent' })
    const save = page.getByRole('button', { name: 'Save as v1' })
    await editor.getByText('it says so').waitFor()
    await page.locator('.ed-numbers').getByText('1', { exact: true }).waitFor()
    expect(await save.isDisabled()).toBe(true)

    await writeInEditor(page.locator('.cm-content'), 'default: allow\nrules:\n  - alow: own_shell\n')
    const fault = page.locator('.ed-note')
    await fault.filter({ hasText: '"alow" is not known here' }).waitFor()
    expect(await save.isDisabled()).toBe(true)
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Control+Enter')
    await page.getByText('Cannot be evaluated.').waitFor()

    await writeInEditor(page.locator('.cm-content'), 'default: allow\nrules:\n  - deny: own_serch\n')
    await fault.filter({ hasText: 'No tool has this name.' }).getByRole('button', { name: 'own_search' }).click()
    await fault.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: /^Run/ }).click()
    await page.getByText('1 call that you denied would now be allowed.').waitFor()
    const table = page.getByRole('region', { name: 'Simulation' }).getByRole('table')
    await table.getByRole('row', { name: /terminal_send_text.*Ask.*Allow.*1 you denied.*default/ }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Show them' }).click()
    await table.getByRole('link', { name: 'pusher' }).waitFor()

    await page.getByRole('button', { name: 'Diff with file' }).click()
    await page.getByRole('group', { name: 'Diff' }).locator('.add', { hasText: 'own_search' }).waitFor()
    await page.keyboard.press('Control+s')
    const history = page.getByRole('list', { name: 'History' })
    await history.getByRole('button', { name: /^v1/ }).click()
    await page.getByRole('heading', { name: 'v1' }).waitFor()
    expect(await violations(page)).toEqual([])
    expect(await world.call('get_policy', { scope: 'template', target: 'agent' })).toMatchObject({
      version: 1,
      source: 'default: allow\nrules:\n  - deny: own_search\n',
    })
    expect(complaints).toEqual([])
  })

  test('keys, effects and names of tools are completed', async () => {
    await using viewer = await world.open('policy')
    const { page } = viewer
    await writeInEditor(page.locator('.cm-content'), 'default: ask\nrules:\n  - deny: own_se')
    const choices = page.getByRole('listbox')
    await page.keyboard.type('a')
    await choices.getByRole('option', { name: 'own_search' }).click()
    await page.locator('.cm-line', { hasText: 'deny: own_search' }).waitFor()
  })

  test('a version that is saved elsewhere is announced, and the text of the person is kept', async () => {
    await using viewer = await world.open('policy/hub')
    const { page } = viewer
    await writeInEditor(page.locator('.cm-content'), 'default: ask\n')
    const { version } = await world.call('get_policy')
    await world.call('set_policy', { source: 'default: allow\nrules:\n  - ask: own_fetch\n' })
    const newest = Number(version) + 1
    await page.getByText(`v${newest} was saved`).waitFor()
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await page.reload()
    await page.locator('.cm-line', { hasText: 'default: ask' }).waitFor()
    await page.getByRole('button', { name: `Save as v${newest + 1}` }).click()
    await page.getByText(`Saved as v${newest + 1}`).waitFor()
    expect(await world.call('get_policy')).toMatchObject({ source: 'default: ask\n' })
    await world.call('set_policy', { source: 'default: allow\n' })
    await page.locator('.cm-line', { hasText: 'default: allow' }).waitFor()
  })

  test('one call is checked against the text in the editor', async () => {
    await world.call('create_session', { name: 'checked', template: 'shell', command: 'cat' })
    await using viewer = await world.open('policy/hub')
    const { page } = viewer
    await writeInEditor(page.locator('.cm-content'), 'default: ask\nrules:\n  - abort: x_delete\n    reason: never\n')
    await page.getByRole('button', { name: 'Check one call' }).click()
    const dialog = page.getByRole('dialog', { name: 'Check one call' })
    await dialog.getByLabel('Session').selectOption({ label: 'checked, shell' })
    await dialog.getByLabel('Tool').fill('x_delete')
    await dialog.getByLabel('Arguments').fill('{')
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByText('The arguments are not JSON').waitFor()
    await dialog.getByLabel('Arguments').fill('{"all": true}')
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByText('rule 1').waitFor()
    await dialog.getByText('Abort', { exact: true }).waitFor()
    expect(await violations(page)).toEqual([])
  })

  test('proposals of agents are accepted and rejected with a reason, and a grant is revoked', async () => {
    const propose = (rules: string) => `CALL policy_propose ${JSON.stringify({ rules, why: 'for <b>the tests</b>' })}`
    await world.call('set_policy', {
      scope: 'template',
      target: 'agent',
      source: 'default: ask\nrules:\n  - allow: policy_*\n',
    })
    await world.agent(
      'asker',
      `${propose('- allow: own_fetch')}\n${propose('- allow: own_shell')}\nCALL terminal_send_keys {"keys":["Enter"]}\nFINAL ok`,
    )
    await using viewer = await world.open('policy')
    const { page, complaints } = viewer
    const proposal = (rule: string) =>
      page.getByRole('article', { name: 'Proposal of asker' }).filter({ hasText: rule })
    await proposal('own_shell').getByText('“for <b>the tests</b>”').waitFor()
    await proposal('own_shell').getByRole('button', { name: 'Reject…' }).click()
    await page.getByLabel('Tell the agent why').fill('not the shell')
    await page.getByRole('button', { name: 'Reject', exact: true }).click()
    await proposal('own_shell').waitFor({ state: 'hidden' })
    await proposal('own_fetch').getByRole('button', { name: 'Accept…' }).click()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Accept', exact: true }).click()
    await page.getByRole('link', { name: 'Session asker v1' }).click()
    await page.locator('.cm-line', { hasText: 'allow: own_fetch' }).waitFor()
    const { proposals } = await world.call('list_policy_proposals', { status: 'all' })
    expect(proposals).toMatchObject([{ status: 'rejected', reason: 'not the shell' }, { status: 'accepted' }])

    await world.call('decide_approval', { id: (await pendingOf('asker')).id, decision: 'approve', scope: 'session' })
    const grants = page.getByRole('list', { name: 'Grants' })
    await grants.getByRole('button', { name: 'Revoke the grant of terminal_send_keys for asker' }).click()
    await grants.waitFor({ state: 'hidden' })
    expect(await world.call('list_grants')).toEqual({ grants: [] })
    expect(complaints).toEqual([])
  })

  test('on a phone, the list leads to the editor, and nothing scrolls sideways', async () => {
    await using viewer = await world.open('policy', devices['Pixel 7'])
    const { page } = viewer
    await page.getByRole('link', { name: /^Hub/ }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('link', { name: /^Hub/ }).tap()
    await page.getByRole('textbox', { name: 'Policy of the hub' }).waitFor()
    await page.getByRole('button', { name: '30 days' }).tap()
    await page.getByText(/calls replayed|No agent made a call/).waitFor()
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    await page.getByRole('link', { name: 'Back' }).tap()
    await page.getByRole('list', { name: 'History' }).getByRole('button', { name: /^v1/ }).tap()
    await page.getByRole('group', { name: 'Diff' }).waitFor()
  })

  async function pendingOf(session: string): Promise<Approval> {
    const read = async () =>
      ((await world.call('list_approvals', { session })) as { readonly approvals: readonly Approval[] }).approvals[0]
    await expect.poll(read, patience).toBeDefined()
    return (await read())!
  }
})

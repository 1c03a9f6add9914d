/**
 * `npm run shots`: pictures of the views of the page with real data, into docs/images/page. A real hub, real sessions,
 * and the scripted model as the agent. Light and dark, on a desktop and on a phone.
 *
 *   npm run shots -- home session   only these views
 *   npm run shots -- first-minute   the animated recording of the README
 */
import type { Page } from 'playwright-core'
import { buildPageIfStale } from './page.ts'
import { openCamera } from './shots/camera.ts'
import { fillConnections, pasteServers, tryTool } from './shots/connections.ts'
import { recordFirstMinute } from './shots/first-minute.ts'
import { editPolicy, fillPolicy } from './shots/policy.ts'
import { askRepository, fillRepositories, searchRepository } from './shots/repositories.ts'
import { fillSessions, openConfigure, openNewSession, showApproval, unfoldNewSession } from './shots/sessions.ts'
import { editTemplate, fillSettings, issueToken } from './shots/settings.ts'
import { startStage } from './shots/stage.ts'

buildPageIfStale()
const names = process.argv.slice(2)
await using camera = await openCamera(names)
if (names.includes('first-minute')) await recordFirstMinute(camera)
else {
  await shootEmptyHub()
  await shootBusyHub()
}

async function shootEmptyHub(): Promise<void> {
  await using stage = await startStage()
  await camera.shoot(stage, [
    { name: 'empty', show: shows('Start your first session') },
    { name: 'login', isLoggedIn: false, show: (page) => page.getByLabel('Token').waitFor() },
  ])
}

async function shootBusyHub(): Promise<void> {
  await using stage = await startStage()
  await fillSessions(stage)
  const session = 'terminal/checkout-retry'
  await camera.shoot(stage, [
    { name: 'home', show: showHome },
    { name: 'home-rows', on: ['desktop'], show: (page) => page.getByRole('button', { name: 'Rows' }).click() },
    { name: 'palette', show: openPalette },
    { name: 'keys', on: ['desktop'], show: openKeys },
    { name: 'new-session', show: openNewSession },
    { name: 'new-session-more', show: unfoldNewSession },
    { name: 'session', path: session, show: shows('needs a lease') },
    { name: 'session-terminal', path: session, on: ['phone'], show: opensTab('Terminal', 'retry limited') },
    { name: 'session-tools', path: session, show: opensTab('Tools', 'send_keys') },
    { name: 'session-events', path: session, show: opensTab('Events', 'tool-called') },
    { name: 'session-files', path: session, show: opensTab('Files', 'Suggested commit message') },
    { name: 'configure', path: session, show: openConfigure },
    { name: 'approvals', path: 'approvals', show: showApproval },
    { name: 'approvals-list', path: 'approvals', on: ['phone'], show: shows('Waiting for you') },
    { name: 'approvals-rule', path: 'approvals', on: ['desktop'], show: presses('Write a rule…') },
    { name: 'approvals-deny', path: 'approvals', on: ['phone'], show: presses('Deny…') },
    { name: 'activity', path: 'activity', show: showTurn },
    { name: 'activity-list', path: 'activity', on: ['phone'], show: shows('2 sessions') },
    { name: 'activity-events', path: 'activity/events', show: shows('turn-started') },
    { name: 'activity-usage', path: 'activity/usage', show: (page) => page.getByRole('table').waitFor() },
  ])
  await camera.shoot(
    stage,
    [
      { name: 'connections', path: 'connections/github', show: tryTool },
      { name: 'connections-list', path: 'connections', on: ['phone'], show: shows('Needs a variable') },
      { name: 'connections-import', path: 'connections', show: pasteServers },
      { name: 'connections-failed', path: 'connections/browser', show: shows('Start again') },
    ],
    fillConnections,
  )
  await camera.shoot(
    stage,
    [
      { name: 'repositories', path: 'repositories/storefront', show: askRepository },
      { name: 'repositories-search', path: 'repositories/storefront', show: searchRepository },
    ],
    fillRepositories,
  )
  await camera.shoot(
    stage,
    [
      { name: 'settings', path: 'settings/tokens', show: (page) => issueToken(stage, page) },
      { name: 'settings-notifications', path: 'settings/notifications', show: shows('Chrome on Android') },
      { name: 'settings-templates', path: 'settings/templates', show: editTemplate },
    ],
    fillSettings,
  )
  await camera.shoot(
    stage,
    [
      { name: 'policy', path: 'policy/hub', show: editPolicy },
      { name: 'policy-list', path: 'policy', on: ['phone'], show: shows('Proposals') },
    ],
    fillPolicy,
  )
  await camera.shootLost(stage, { name: 'lost', show: showHome }, (page) => page.getByRole('alert').waitFor())
}

function shows(text: string) {
  return (page: Page) => page.getByText(text).filter({ visible: true }).first().waitFor()
}

function showHome(page: Page): Promise<void> {
  return shows('Waiting for you')(page)
}

async function openPalette(page: Page): Promise<void> {
  await showHome(page)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('ch')
}

async function openKeys(page: Page): Promise<void> {
  await showHome(page)
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
}

function opensTab(tab: string, text: string) {
  return async (page: Page) => {
    await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click()
    await shows(text)(page)
  }
}

/** Presses a button below the approval. */
function presses(name: string) {
  return async (page: Page) => {
    await showApproval(page)
    await page.getByRole('button', { name }).click()
  }
}

async function showTurn(page: Page): Promise<void> {
  await page.getByRole('link', { name: /2 sessions/ }).click()
  await page.getByRole('treeitem', { name: /^sessions_ask/ }).click()
}

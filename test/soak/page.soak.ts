/** The page with two hundred sessions that all print. */
import { expect, test } from 'vitest'
import { requires } from '../harness/requires.ts'
import { browserPrograms } from '../page/browser.ts'
import { startPageWorld } from '../page/page-world.ts'
import { patience } from '../worlds/own-hub.ts'

const program = requires(...browserPrograms)
const count = 200

program.describe('the page', () => {
  test('shows two hundred live sessions, finds one, follows it, and sees one end', { timeout: 900_000 }, async () => {
    await using world = await startPageWorld(program.path)
    for (let number = 0; number < count; number++) {
      const command = `while :; do read -t 1 -r line && exit; printf 'mark %(%s)T\\n' -1; done`
      await world.call('create_session', { name: `s${number}`, template: 'shell', command })
    }
    await using viewer = await world.open('')
    const { page, complaints } = viewer
    const main = page.getByRole('main')
    const filters = main.getByRole('group', { name: 'Filter by state' })
    await filters.getByRole('button', { name: new RegExp(`All ${count}`) }).waitFor()
    // Tiles out of sight have no picture, and the ones in sight do.
    await expect.poll(() => main.locator('canvas').count(), patience).toBeGreaterThan(3)
    expect(await main.locator('canvas').count()).toBeLessThan(60)

    await main.getByLabel('Filter sessions').fill('s137')
    await expect.poll(() => main.getByRole('link').count(), patience).toBe(1)
    await main.getByRole('link', { name: /s137/ }).click()
    const screen = page.locator('.xterm-rows')
    await screen.filter({ hasText: 'mark' }).waitFor()
    await world.call('send_text', { session: 's137', text: '\r' })
    await page.getByText(/exit code 0/).waitFor()
    await page.goBack()
    await filters.getByRole('button', { name: /Ended 1/ }).waitFor()
    expect(complaints).toEqual([])
  })
})

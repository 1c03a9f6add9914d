/** Takes the pictures of a view: light and dark, on a desktop and on a phone. */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { openBrowser } from '../../test/page/browser.ts'
import type { Stage } from './stage.ts'

export const images = join(import.meta.dirname, '../../docs/images')

const devices = {
  desktop: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
} as const
const themes = ['light', 'dark'] as const

export type Device = keyof typeof devices

export interface View {
  readonly name: string
  readonly path?: string
  readonly on?: readonly Device[]
  readonly isLoggedIn?: boolean
  /** Resolves when the page shows the view. */
  show(page: Page, device: Device): Promise<unknown>
}

export interface Camera extends AsyncDisposable {
  /** Takes those of the views that were asked for, after the stage has their data. */
  shoot(stage: Stage, views: readonly View[], fill?: (stage: Stage) => Promise<void>): Promise<void>
  /** Opens all pages before the hub goes away under them. */
  shootLost(stage: Stage, view: View, showLost: (page: Page) => Promise<unknown>): Promise<void>
  /** A page in the light on a small desktop. */
  open(stage: Stage): Promise<Page>
}

/** Without names, every view is taken. */
export async function openCamera(names: readonly string[]): Promise<Camera> {
  const folder = join(images, 'page')
  mkdirSync(folder, { recursive: true })
  const browser = await openBrowser(execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim())
  const isWanted = ({ name }: View) => names.length === 0 || names.includes(name)

  async function shoot(stage: Stage, views: readonly View[], fill?: (stage: Stage) => Promise<void>): Promise<void> {
    const wanted = views.filter(isWanted)
    if (wanted.length > 0) await fill?.(stage)
    for (const view of wanted) {
      for (const pose of posesOf(view)) {
        const page = await openView(stage, view, pose)
        await takePicture(page, view, pose)
      }
    }
  }

  async function shootLost(stage: Stage, view: View, showLost: (page: Page) => Promise<unknown>): Promise<void> {
    if (!isWanted(view)) return
    const shown: [Page, Pose][] = []
    for (const pose of posesOf(view)) shown.push([await openView(stage, view, pose), pose])
    await stage.hub.end('SIGKILL')
    for (const [page, pose] of shown) {
      await showLost(page)
      await takePicture(page, view, pose)
    }
  }

  async function openView(stage: Stage, view: View, { device, theme }: Pose): Promise<Page> {
    const { path = '', isLoggedIn = true } = view
    const context = await browser.newContext({ ...devices[device], colorScheme: theme, reducedMotion: 'reduce' })
    const page = await context.newPage()
    await page.goto(`${stage.origin}/${path}${isLoggedIn ? `#token=${stage.hub.token}` : ''}`)
    await view.show(page, device)
    return page
  }

  async function takePicture(page: Page, { name }: View, { device, theme }: Pose): Promise<void> {
    await page.evaluate(() => document.fonts.ready)
    // Lazy parts and the first thumbnails.
    await sleep(1_000)
    await page.screenshot({ path: join(folder, `${name}-${device}-${theme}.png`) })
    await page.context().close()
  }

  async function open(stage: Stage): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1200, height: 750 }, colorScheme: 'light' })
    const page = await context.newPage()
    await page.goto(`${stage.origin}/#token=${stage.hub.token}`)
    return page
  }

  return { shoot, shootLost, open, [Symbol.asyncDispose]: () => browser.close() }
}

interface Pose {
  readonly device: Device
  readonly theme: (typeof themes)[number]
}

function posesOf({ on = ['desktop', 'phone'] }: View): readonly Pose[] {
  return on.flatMap((device) => themes.map((theme) => ({ device, theme })))
}

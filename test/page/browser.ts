/** An installed Chromium. It does not read or change any files of the person who runs the tests. */
import { type Browser, chromium } from 'playwright-core'
import { createTempHome } from '../harness/temp-home.ts'

/** Without a GPU, animations take more CPU than everything else on the page. */
export const still = { reducedMotion: 'reduce' } as const

/** The shell without a window takes half the CPU of the whole browser. */
export const browserPrograms = ['chromium-headless-shell', 'chromium'] as const

export async function openBrowser(executablePath: string): Promise<Browser> {
  const home = await createTempHome()
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync'],
    env: { PATH: process.env['PATH'] ?? '', HOME: home.path },
  })
  // Playwright's 30 s are too few for a machine that is busy with other work.
  browser.on('context', (context) => context.setDefaultTimeout(120_000))
  browser.once('disconnected', () => void home[Symbol.asyncDispose]())
  return browser
}

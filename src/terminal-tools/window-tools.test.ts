import { expect, test } from 'vitest'
import { openToolbox } from '../../test/worlds/terminal-toolbox.ts'

test('the window has the size of a screenshot and is visible while there are viewers', async () => {
  const box = await openToolbox('exec cat', { graceMs: 20 })
  const info = { width: 736, height: 496, title: 'tester', opacity: 1, backend: 'signalbox' }
  expect(await box.call('get_window_info')).toEqual({ ...info, visible: false })
  await box.call('read_output', { viewer: 'anna', timeout_ms: 0 })
  expect(await box.call('get_window_info')).toEqual({ ...info, visible: true })
  await box.call('resize', { cols: 100, rows: 24 })
  expect(await box.call('get_window_info')).toMatchObject({ width: 736 + 20 * 9, height: 496 })
})

test('the title is the one a person set, else the one the program set, else the session name', async () => {
  const box = await openToolbox(`printf '\\033]0;from the program\\007'; exec cat`)
  await box.until(() => box.terminal.screen.title !== '')
  expect(await box.call('get_window_info')).toMatchObject({ title: 'from the program' })
  expect(await box.call('set_window_title', { title: 'mine' })).toEqual({ success: true, title: 'mine' })
  expect(await box.call('get_window_info')).toMatchObject({ title: 'mine' })
  expect(box.target.settings.title).toBe('mine')
  expect(await box.call('get_config')).toMatchObject({
    terminal: { title: 'from the program' },
    window: { title: 'mine' },
  })
  await box.call('set_window_title', { title: '' })
  expect(await box.call('get_window_info')).toMatchObject({ title: 'from the program' })
})

test('get_config returns all settings or one section', async () => {
  const box = await openToolbox('exec cat', { cols: 60, rows: 20 })
  const terminal = { cols: 60, rows: 20, title: '' }
  const window = { width: 556, height: 416, title: 'tester', visible: false, opacity: 1 }
  const backend = { type: 'signalbox' }
  expect(await box.call('get_config')).toEqual({ terminal, window, backend })
  expect(await box.call('get_config', { section: 'terminal' })).toEqual(terminal)
  expect(await box.call('get_config', { section: 'window' })).toEqual(window)
  expect(await box.call('get_config', { section: 'backend' })).toEqual(backend)
  expect(await box.failure('get_config', { section: 'colours' })).toBe(
    '"section": there is no section "colours". The sections are terminal, window, backend.',
  )
})

test('set_config sets title and opacity, and nothing else', async () => {
  const box = await openToolbox('exec cat')
  const set = (key: string, value: string) => box.call('set_config', { key, value })
  expect(await set('window.title', 'a b')).toEqual({ success: true, key: 'window.title' })
  expect(await set('window.opacity', '0.5')).toEqual({ success: true, key: 'window.opacity' })
  expect(box.target.settings).toMatchObject({ title: 'a b', opacity: 0.5 })
  await set('window.opacity', '7')
  expect(box.target.settings.opacity).toBe(1)
  await set('window.opacity', '-1')
  expect(box.target.settings.opacity).toBe(0)
  for (const value of ['half', '', ' ', 'NaN']) {
    expect(await box.failure('set_config', { key: 'window.opacity', value })).toBe(
      '"value": an opacity is a number from 0 to 1, such as "0.9".',
    )
  }
  expect(await box.failure('set_config', { key: 'terminal.cols', value: '1' })).toBe(
    '"key": "terminal.cols" cannot be set. You can set window.title and window.opacity.',
  )
})

test('every module except mcp can be switched off', async () => {
  const box = await openToolbox('exec cat')
  const active = async () => {
    const { modules } = await box.call('list_modules')
    for (const { description } of modules) expect(description).toMatch(/\.$/)
    return Object.fromEntries(modules.map(({ name, active }) => [name, active]))
  }
  expect(await active()).toEqual({ scrollback: true, recording: true, urls: true, idle: true, mcp: true })
  const off = { name: 'recording', enabled: false }
  expect(await box.call('toggle_module', off)).toEqual({ name: 'recording', active: false })
  expect(await box.call('toggle_module', off)).toEqual({ name: 'recording', active: false })
  expect(await active()).toMatchObject({ scrollback: true, recording: false })
  expect(await box.failure('toggle_module', { name: 'mcp', enabled: false })).toContain('cannot be toggled')
  expect(await box.failure('toggle_module', { name: 'sound', enabled: true })).toBe(
    '"name": there is no module "sound". The modules are scrollback, recording, urls, idle.',
  )
})

test('list_detected_urls returns columns, and joins a URL that is wrapped', async () => {
  const box = await openToolbox(`printf '日 http://a.b/c, and https://example.org/long'; exec cat`, {
    cols: 30,
    rows: 4,
  })
  await box.call('wait_for', { for: 'text', value: 'long' })
  expect(await box.call('list_detected_urls')).toEqual({
    count: 2,
    urls: [
      { url: 'http://a.b/c', row: 0, start_col: 3, end_col: 15 },
      { url: 'https://example.org/long', row: 0, start_col: 21, end_row: 1, end_col: 15 },
    ],
  })
  expect(await box.call('list_detected_urls', { regex: 'A\\.B' })).toEqual({ count: 0, urls: [] })
  expect(await box.call('list_detected_urls', { regex: 'a\\.b' })).toMatchObject({ urls: [{ url: 'a.b' }] })
  expect(await box.failure('list_detected_urls', { regex: '[' })).toContain('The pattern is not a regular expression')
  await box.call('toggle_module', { name: 'urls', enabled: false })
  expect(await box.failure('list_detected_urls')).toContain('The urls module of this session is off')
})

/** The terminal tools by name: which of them an agent may use of its own terminal is switched on one by one. */
export const terminalToolNames = [
  'read_screen',
  'read_scrollback',
  'search_scrollback',
  'get_cursor_position',
  'get_cell_attributes',
  'get_foreground_process',
  'get_working_directory',
  'is_shell_idle',
  'get_pty_info',
  'list_detected_urls',
  'get_config',
  'set_config',
  'list_modules',
  'toggle_module',
  'get_window_info',
  'set_window_title',
  'send_text',
  'send_keys',
  'screenshot',
  'save_screenshot',
  'wait_for',
  'read_output',
  'resize',
] as const
export type TerminalToolName = (typeof terminalToolNames)[number]

/** Parts of a terminal that can be switched off for a session. */
export const terminalModules = ['scrollback', 'recording', 'urls', 'idle'] as const
export type TerminalModule = (typeof terminalModules)[number]

/** What people and agents set of a session's terminal; kept with the session. */
export interface TerminalSettings {
  readonly modules: Readonly<Record<TerminalModule, boolean>>
  /** Instead of the one its program set. */
  readonly title?: string | undefined
  readonly opacity: number
}

export const defaultTerminalSettings: TerminalSettings = {
  modules: { scrollback: true, recording: true, urls: true, idle: true },
  opacity: 1,
}

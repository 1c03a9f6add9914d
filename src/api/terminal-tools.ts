/** The names of the terminal tools. Each is switched on separately for an agent and its own terminal. */
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

/** The settings of a session's terminal that people and agents change. They are stored with the session. */
export interface TerminalSettings {
  readonly modules: Readonly<Record<TerminalModule, boolean>>
  /** Replaces the title that the program set. */
  readonly title?: string | undefined
  readonly opacity: number
}

export const defaultTerminalSettings: TerminalSettings = {
  modules: { scrollback: true, recording: true, urls: true, idle: true },
  opacity: 1,
}

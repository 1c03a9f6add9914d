/** The terminal tools in the words of a person, in groups. */
import type { TerminalToolName } from '../../../src/api/terminal-tools.ts'

export const terminalToolGroups: readonly (readonly [string, readonly (readonly [TerminalToolName, string])[]])[] = [
  [
    'Read',
    [
      ['read_screen', 'the text on the screen'],
      ['read_scrollback', 'lines that have scrolled off'],
      ['search_scrollback', 'finds a pattern in them'],
      ['read_output', 'the raw output from an offset'],
      ['get_cursor_position', 'where the cursor is'],
      ['get_cell_attributes', 'colours and styles of cells'],
      ['list_detected_urls', 'addresses on the screen'],
      ['screenshot', 'a picture of the screen'],
      ['save_screenshot', 'a picture into the workspace'],
    ],
  ],
  [
    'Type',
    [
      ['send_text', 'types text'],
      ['send_keys', 'presses keys'],
      ['wait_for', 'waits for text, quiet or the end'],
    ],
  ],
  [
    'Process',
    [
      ['get_foreground_process', 'what runs in front'],
      ['get_working_directory', 'its directory'],
      ['is_shell_idle', 'whether the shell waits'],
      ['get_pty_info', 'size and ids of the terminal'],
    ],
  ],
  [
    'Window',
    [
      ['get_window_info', 'title, size, who watches'],
      ['set_window_title', 'changes the title'],
      ['resize', 'changes columns and rows'],
      ['get_config', 'settings of the terminal'],
      ['set_config', 'changes them'],
      ['list_modules', 'parts of the terminal'],
      ['toggle_module', 'switches them'],
    ],
  ],
]

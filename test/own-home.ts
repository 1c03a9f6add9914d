/**
 * Gives a test run its own home and locale, and shells without a history. So no shell reads the history of another, and
 * no file of the person is read or changed. Workers inherit the environment.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export default function setup(): () => void {
  for (const name of Object.keys(process.env)) if (isPersonal.test(name)) delete process.env[name]
  const home = mkdtempSync(join(tmpdir(), 'signalbox-home-'))
  Object.assign(process.env, {
    HOME: home,
    // Empty and not unset, because a shell would otherwise use a file in the home.
    HISTFILE: '',
    LANG: 'C.UTF-8',
    // The tests of sandboxes name them.
    SIGNALBOX_SANDBOX: 'off',
    npm_config_update_notifier: 'false',
  })
  return () => rmSync(home, { recursive: true, force: true, maxRetries: 5 })
}

/** Tests may run inside a session of a hub, and must not see its variables. */
const isPersonal =
  /^(?:SIGNALBOX_.*|DATABASE_URL|LANGUAGE|LC_.*|XDG_(?:CONFIG|DATA|STATE|CACHE)_HOME|BASH_ENV|ENV|INPUTRC|TMUX|ZDOTDIR)$/

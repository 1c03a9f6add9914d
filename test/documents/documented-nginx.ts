/** A real nginx with the configuration that a page shows. Only its addresses are replaced, and TLS is removed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../fixtures/ports.ts'
import { createTempHome } from '../harness/temp-home.ts'

export interface DocumentedNginx extends AsyncDisposable {
  readonly port: number
}

export async function startDocumentedNginx(options: {
  program: string
  /** The `server` block of the page. */
  server: string
  hubPort: number
}): Promise<DocumentedNginx> {
  const { program, hubPort } = options
  await using opened = new AsyncDisposableStack()
  const { path } = opened.use(await createTempHome())
  const port = await freePort()
  const server = options.server
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replaceAll(/^ *ssl_certificate.*\n/gm, '')
    .replace('127.0.0.1:7420', `127.0.0.1:${hubPort}`)
  const config = join(path, 'nginx.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${path}/${name};`,
  )
  await writeFile(
    config,
    `daemon off;\npid ${path}/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${temporary.join('\n')}\n${server}}\n`,
  )
  const child = spawn(program, ['-p', path, '-e', 'stderr', '-c', config], { stdio: ['ignore', 'ignore', 'pipe'] })
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text))
  const exit = once(child, 'exit')
  opened.defer(async () => {
    child.kill('SIGTERM')
    await exit
  })
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`nginx does not accept the configuration of the page:\n${complaints}`)
  }
  const running = opened.move()
  return { port, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/healthz`)).ok
  } catch {
    return false
  }
}

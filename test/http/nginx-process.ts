/** A real nginx in the foreground, with a configuration and a directory of its own, as any user may start it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { vi } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { createTempHome } from '../harness/temp-home.ts'
import { patience } from './own-hub.ts'

export interface NginxProcess extends AsyncDisposable {
  readonly port: number
}

export async function startNginx(
  program: string,
  { path, upstreamPort }: { path: string; upstreamPort: number },
): Promise<NginxProcess> {
  await using stack = new AsyncDisposableStack()
  const { path: directory } = stack.use(await createTempHome())
  const port = await freePort()
  await writeFile(join(directory, 'nginx.conf'), configuration({ directory, port, path, upstreamPort }))
  const child = spawn(program, ['-p', directory, '-c', join(directory, 'nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  stack.defer(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  await vi.waitFor(() => canConnect(port), patience)
  const opened = stack.move()
  return { port, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** The least that anybody writes: that nothing is buffered is up to the hub. nginx writes below `directory` only. */
function configuration(options: { directory: string; port: number; path: string; upstreamPort: number }): string {
  const { directory, port, path, upstreamPort } = options
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
    daemon off;
    master_process off;
    pid ${directory}/nginx.pid;
    events {}
    http {
      access_log off;
      ${temporary.map((name) => `${name}_temp_path ${directory}/${name};`).join('\n      ')}
      server {
        listen 127.0.0.1:${port};
        location ${path} {
          proxy_pass http://127.0.0.1:${upstreamPort};
        }
      }
    }
  `
}

async function canConnect(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.destroy()
}

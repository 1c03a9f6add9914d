/** A real nginx in the foreground, with its own configuration and directory, started without root rights. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { vi } from 'vitest'
import { freePort } from '../fixtures/ports.ts'
import { createTempHome } from '../harness/temp-home.ts'
import { patience } from '../worlds/own-hub.ts'

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

/** A minimal configuration: the hub itself must prevent buffering. nginx writes only below `directory`. */
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

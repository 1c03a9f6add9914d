/** Preloaded into a gateway that listens on all addresses and has no option to change that. */
import { Server } from 'node:net'

// oxlint-disable-next-line typescript/unbound-method -- it is called with the right `this`
const { listen } = Server.prototype

Server.prototype.listen = function (this: Server, port: unknown, ...rest: readonly unknown[]): Server {
  const onListening = rest.find((argument) => typeof argument === 'function') as (() => void) | undefined
  const isPort = typeof port === 'number' || typeof port === 'string'
  if (isPort) return listen.call(this, { port: Number(port), host: '127.0.0.1' }, onListening)
  return Reflect.apply(listen, this, [port, ...rest]) as Server
}

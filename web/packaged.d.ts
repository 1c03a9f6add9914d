/** Modules that the hub serves from packages, under the names that the page imports. */
declare module '*/xterm/xterm.js' {
  export * from '@xterm/xterm'
}
declare module '*/xterm/addon-fit.js' {
  export * from '@xterm/addon-fit'
}
declare module '*/xterm/addon-unicode11.js' {
  export * from '@xterm/addon-unicode11'
}
declare module '*/xterm/addon-web-links.js' {
  export * from '@xterm/addon-web-links'
}

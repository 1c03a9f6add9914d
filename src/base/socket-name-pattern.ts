/** The name of a session's socket: part of a file name, `signalbox-mcp-<name>.sock`. */
export const socketNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

import { z } from 'zod'

/** Part of a file name: `signalbox-mcp-<name>.sock`. */
export const socketNameSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'the name of a socket is letters, digits, ".", "-" and "_", at most 64, and begins with a letter or digit, such as "build"',
  )

import { z } from 'zod'
import { socketNamePattern } from '../base/socket-name-pattern.ts'

export const socketNameSchema = z
  .string()
  .regex(
    socketNamePattern,
    'a socket name has letters, digits, ".", "-" and "_", at most 64, and begins with a letter or digit, such as "build"',
  )

/** Arguments that several of the tools take. */
import { z } from 'zod'

export const nameArgument = z.string().min(1).max(200).describe('Name or id of the session; a name means the newest.')
export const descriptionArgument = z.string().max(2_000)
export const templateArgument = z.string().max(100)

/** For a program, which would see no more of it than what stands before a NUL. */
export function programText(maxLength: number): z.ZodString {
  return z
    .string()
    .max(maxLength)
    .refine((text) => !text.includes('\0'), 'no program can be given a NUL character; leave it out')
}

/** Arguments that several tools share. */
import { z } from 'zod'
import { withoutControls } from '../base/without-controls.ts'

export const nameArgument = z.string().min(1).max(200).describe('Name or id of the session; a name means the newest.')
export const descriptionArgument = z.string().overwrite(withoutControls).max(2_000)
export const templateArgument = z.string().max(100)

/** For text that is passed to a program: the program would see it only up to the first NUL. */
export function programText(maxLength: number): z.ZodString {
  return z
    .string()
    .max(maxLength)
    .refine((text) => !text.includes('\0'), 'a program cannot receive a NUL character; leave it out')
}

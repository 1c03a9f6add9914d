/** The fonts of a screenshot. They come with the package, so that it looks the same everywhere. */
import { createRequire } from 'node:module'
import { GlobalFonts } from '@napi-rs/canvas'

const text = 'JetBrains Mono'
const symbols = 'DejaVu Sans Mono'
/** A plain bitmap font with every character of the basic plane. */
const everything = 'Unifont'
const emoji = 'Twemoji'

const files: readonly (readonly [string, string])[] = [
  [text, '@expo-google-fonts/jetbrains-mono/400Regular/JetBrainsMono_400Regular.ttf'],
  [text, '@expo-google-fonts/jetbrains-mono/400Regular_Italic/JetBrainsMono_400Regular_Italic.ttf'],
  [text, '@expo-google-fonts/jetbrains-mono/700Bold/JetBrainsMono_700Bold.ttf'],
  [text, '@expo-google-fonts/jetbrains-mono/700Bold_Italic/JetBrainsMono_700Bold_Italic.ttf'],
  [symbols, 'dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf'],
  [symbols, 'dejavu-fonts-ttf/ttf/DejaVuSansMono-Bold.ttf'],
  [everything, '@fontsource/unifont/files/unifont-latin-400-normal.woff2'],
  [emoji, 'twemoji-colr-font/twemoji.woff2'],
]

export function registerFonts(): void {
  const require = createRequire(import.meta.url)
  for (const [family, file] of files) {
    if (!GlobalFonts.registerFromPath(require.resolve(file), family))
      throw new Error(`The font ${file} cannot be read.`)
  }
}

export interface Style {
  readonly bold: boolean
  readonly italic: boolean
}

/** The font for the character of a cell with one or two columns. */
export function fontFor(character: string, columns: number, { bold, italic }: Style): string {
  const style = `${italic ? 'italic' : 'normal'} ${bold ? 700 : 400}`
  const isLatin = character.length === 1 && character < '\u0300'
  if (isLatin) return `${style} ${forText}`
  if (isEmoji.test(character)) return `${style} ${forEmoji}`
  return `${style} ${columns === 2 ? forWide : forText}`
}

/** At this size, the text font is nine pixels wide. */
const size = 15
/** Unifont is a bitmap font, which is sharp only at this size. */
const gridSize = 16

const forText = `${size}px "${text}", "${symbols}", "${everything}", "${emoji}"`
const forWide = `${gridSize}px "${everything}", "${text}", "${emoji}"`
const forEmoji = `${size}px "${emoji}", "${text}", "${symbols}", "${everything}"`

/** Characters with emoji presentation by default, or by a variation selector. */
const isEmoji = /\p{Emoji_Presentation}|\ufe0f/u

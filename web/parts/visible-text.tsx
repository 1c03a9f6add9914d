/** Text from elsewhere. Characters that are invisible, or that change the order of others, are shown by their codes. */
import { Fragment } from 'react'

// Control and format characters, such as those that turn text around, and line separators. Tabs, newlines and what joins
// emojis stay.
const hidden = /((?![\t\n])(?!(?<=\p{Extended_Pictographic}\ufe0f?)\u200d)[\p{Cc}\p{Cf}\u2028\u2029])/u

export function VisibleText({ text }: { readonly text: string }) {
  if (!hidden.test(text)) return text
  const parts = text.split(new RegExp(hidden, 'gu'))
  return parts.map((part, index) =>
    index % 2 === 0 ? (
      <Fragment key={index}>{part}</Fragment>
    ) : (
      <mark key={index} className="hot" title="An invisible character">
        {part === '\r' ? '↵' : `U+${part.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`}
      </mark>
    ),
  )
}

/** The terminal emulator and the dialogs create style elements, and the content security policy wants a nonce on them. */
export const pageNonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''
const create = document.createElement.bind(document)

document.createElement = (tag: string, options?: ElementCreationOptions) =>
  Object.assign(create(tag, options), tag === 'style' && { nonce: pageNonce })

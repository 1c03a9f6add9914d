/** Addresses of the hub. The page is served below any path, so all of them are relative to its root. */
const meta = document.querySelector<HTMLMetaElement>('meta[name=root]')

/** The root of the hub, with a slash at the end. */
export const root = new URL(meta?.content ?? './', location.href)

export function address(path: string): string {
  return new URL(path, root).href
}

/** The title and the icon of the tab show the most urgent state, and how many questions wait. */
import { useEffect } from 'react'

export type Lamp = 'go' | 'wait' | 'stop'

const lampColours: Readonly<Record<Lamp, string>> = { go: '#14824A', wait: '#F5A80F', stop: '#C9332B' }

export function usePageTitle(title: string, waiting: number): void {
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${title === '' ? '' : `${title} · `}Signalbox`
  }, [title, waiting])
}

export function useFavicon(lamp: Lamp): void {
  useEffect(() => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"><rect width="20" height="20" rx="4" fill="#18201D"/><path d="M2 15h16M5 15l5.500-8H13" stroke="#fff" stroke-width="2" fill="none"/><circle cx="15" cy="7" r="3" fill="${lampColours[lamp]}"/></svg>`
    document.querySelector<HTMLLinkElement>('#favicon')!.href = `data:image/svg+xml,${encodeURIComponent(svg)}`
  }, [lamp])
}

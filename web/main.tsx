/** Starts the page. */
import './app/allow-styles.ts'
import './app/theme.ts'
import './notifications/service-worker.ts'
import './app/visible-height.ts'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import './styles/page.css'

createRoot(document.querySelector('#root')!).render(<App />)

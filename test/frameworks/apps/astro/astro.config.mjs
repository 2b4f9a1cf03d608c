import node from '@astrojs/node'
import { defineConfig } from 'astro/config'

// Astro takes a DELETE without Content-Type for a form of another site, and answers 403. The plant store's
// client sends a Content-Type. For clients that don't, such as `curl -X DELETE`, if none of the app's own
// forms needs the check:
//
//   defineConfig({ adapter: …, security: { checkOrigin: false } })
export default defineConfig({ adapter: node({ mode: 'standalone' }) })
